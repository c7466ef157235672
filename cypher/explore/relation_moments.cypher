// name: explore/relation_moments
// mode: read
// summary: When a relation holds: every frame of a video with it.
// param video_id: STRING - the video
// param predicate: STRING - the relation, snake_case
// param limit: INTEGER - how many at most
// returns t: FLOAT - second
// returns frame_index: INTEGER - frame
// returns subject_id: STRING - entity
// returns subject: STRING - its label
// returns object_id: STRING - the other entity
// returns object: STRING - its label
// returns text: STRING - the relation as written
MATCH (a:FrameNode {videoId: $video_id})-[r:REL {predicate: $predicate}]->(b:FrameNode)
RETURN a.t AS t, a.frameIndex AS frame_index, a.entityId AS subject_id, a.label AS subject,
       b.entityId AS object_id, b.label AS object, r.text AS text
ORDER BY t, subject_id, object_id, text
LIMIT $limit
