// name: report/relations
// mode: read
// summary: Each relation between two entities of a video with the sampled frames that it holds in.
// param video_id: STRING - the video
// returns subject_id: STRING - entity
// returns object_id: STRING - the other entity
// returns predicate: STRING - the relation, snake_case
// returns source: STRING - geometry, model or annotation
// returns frames: LIST<INTEGER> - positions among the sampled frames
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
WITH a.entityId AS subject_id, b.entityId AS object_id, r.predicate AS predicate, r.source AS source,
     a.frameIndex AS frame_index
ORDER BY frame_index
RETURN subject_id, object_id, predicate, source, collect(frame_index) AS frames
ORDER BY subject_id, object_id, predicate, source
