// name: export/confidences
// mode: read
// summary: How sure the detector was of a video's entities, in its sampled frames.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns t: FLOAT - when, seconds
// returns confidence: FLOAT - 0..1
MATCH (n:FrameNode {videoId: $video_id})
WHERE n.confidence IS NOT NULL
RETURN n.entityId AS entity_id, n.t AS t, n.confidence AS confidence
ORDER BY entity_id, t
