// name: explore/bystanders
// mode: read
// summary: Who else is in the picture during an event, and how near.
// param event_id: STRING - the event
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns frames: INTEGER - sampled frames of the event with it
// returns nearest_px: FLOAT | NULL - least gap to the box of the one who acts; null when they share no frame
MATCH (z:Event {id: $event_id})
MATCH (b:FrameNode {videoId: z.videoId})
WHERE b.t >= z.tStart AND b.t < z.tEnd AND b.entityId <> z.entityId
OPTIONAL MATCH (b)<-[:CONTAINS]-(:Frame)-[:CONTAINS]->(a:FrameNode)
WHERE a.entityId = z.entityId
WITH b,
     CASE WHEN a.xMin > b.xMax THEN a.xMin - b.xMax WHEN b.xMin > a.xMax THEN b.xMin - a.xMax
          WHEN a.xMin IS NULL OR b.xMin IS NULL THEN null ELSE 0.0 END AS dx,
     CASE WHEN a.yMin > b.yMax THEN a.yMin - b.yMax WHEN b.yMin > a.yMax THEN b.yMin - a.yMax ELSE 0.0 END AS dy
WITH b.entityId AS entity_id, count(*) AS frames, min(sqrt(dx * dx + dy * dy)) AS nearest_px
MATCH (e:Entity {id: entity_id})
RETURN entity_id, e.label AS label, frames, nearest_px
ORDER BY frames DESC, entity_id
