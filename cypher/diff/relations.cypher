// name: diff/relations
// mode: read
// summary: The relations of a video, each with the seconds of the frames in which it holds.
// param video_id: STRING - the video
// returns subject_id: STRING - entity
// returns predicate: STRING - the relation
// returns object_id: STRING - the other entity
// returns sources: LIST<STRING> - geometry, model, annotation: who tells it
// returns times_s: LIST<FLOAT> - seconds, ascending
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
WITH a.entityId AS subject_id, r.predicate AS predicate, b.entityId AS object_id, r.source AS source, a.t AS t
ORDER BY t
RETURN subject_id, predicate, object_id, collect(DISTINCT source) AS sources, collect(DISTINCT t) AS times_s
ORDER BY subject_id, object_id, predicate
