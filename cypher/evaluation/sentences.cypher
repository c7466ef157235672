// name: evaluation/sentences
// mode: read
// summary: All that is said of a video, frame by frame, each sentence once a frame.
// param video_id: STRING - the video
// returns node_id: STRING - the first frame node with the sentence
// returns entity_id: STRING - its entity
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the sentence
MATCH (n:FrameNode {videoId: $video_id})
WHERE n.description <> ''
WITH n ORDER BY n.id
WITH n.frameIndex AS frame_index, n.description AS description, head(collect(n)) AS n
RETURN n.id AS node_id, n.entityId AS entity_id, frame_index, n.t AS t, description
ORDER BY frame_index, node_id
