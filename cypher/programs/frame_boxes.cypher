// name: programs/frame_boxes
// mode: read
// summary: The sampled frame nearest to a time, with the boxes of its entities.
// param video_id: STRING - the video
// param time_s: FLOAT - when, seconds
// returns frame_index: INTEGER - the frame, among the sampled ones
// returns time_s: FLOAT - its time, seconds
// returns coverage: STRING - ok, or why nothing is known of it
// returns entity_id: STRING | NULL - an entity with a box in it; null for a frame without any
// returns label: STRING | NULL - what it is
// returns description: STRING | NULL - its sentence in this frame
// returns color: STRING | NULL - of its box, #rrggbb
// returns box: LIST<FLOAT> | NULL - left, top, right and bottom, displayed pixels
// returns given_name: STRING | NULL - the name that a person gave it, or an entity of its identity here or in another video
MATCH (f:Frame {videoId: $video_id})
WITH f
ORDER BY abs(f.t - $time_s), f.index
LIMIT 1
OPTIONAL MATCH (f)-[:CONTAINS]->(n:FrameNode)<-[:APPEARS_AS]-(e:Entity)
WHERE n.xMin IS NOT NULL
RETURN f.index AS frame_index, f.t AS time_s, f.coverage AS coverage, e.id AS entity_id, e.label AS label,
       n.description AS description, e.color AS color, CASE WHEN e IS NULL THEN null ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(e.name, head(COLLECT {
         MATCH (o:Entity {identityId: e.identityId})
         WHERE o.name IS NOT NULL
         RETURN o.name ORDER BY o.id LIMIT 1
       })) AS given_name
ORDER BY e.trackId, entity_id
