// name: export/frame_node_vectors
// mode: read
// summary: The vectors of a video's frame nodes, to compare two graphs.
// param video_id: STRING - the video
// returns id: STRING - the node
// returns embedding: LIST<FLOAT> - its vector
MATCH (n:FrameNode {videoId: $video_id})
RETURN n.id AS id, n.embedding AS embedding
ORDER BY id
