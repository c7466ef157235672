// name: explore/nearest_in_picture
// mode: read
// summary: How near two entities come: the gap between their boxes in each frame that shows both, nearest first.
// param entity_id: STRING - one entity
// param other_id: STRING - the other
// param limit: INTEGER - how many at most
// returns t: FLOAT - second
// returns frame_index: INTEGER - frame
// returns gap_px: FLOAT - pixels between the nearest edges; 0 when the boxes touch
MATCH (a:FrameNode {entityId: $entity_id})
WHERE a.t IS NOT NULL
MATCH (a)<-[:CONTAINS]-(f:Frame)-[:CONTAINS]->(b:FrameNode)
WHERE b.entityId = $other_id AND a.xMin IS NOT NULL AND b.xMin IS NOT NULL
WITH f,
     CASE WHEN a.xMin > b.xMax THEN a.xMin - b.xMax WHEN b.xMin > a.xMax THEN b.xMin - a.xMax ELSE 0.0 END AS dx,
     CASE WHEN a.yMin > b.yMax THEN a.yMin - b.yMax WHEN b.yMin > a.yMax THEN b.yMin - a.yMax ELSE 0.0 END AS dy
RETURN f.t AS t, f.index AS frame_index, sqrt(dx * dx + dy * dy) AS gap_px
ORDER BY gap_px, t, frame_index
LIMIT $limit
