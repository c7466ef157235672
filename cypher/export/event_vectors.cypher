// name: export/event_vectors
// mode: read
// summary: The vectors of a video's events, to compare two graphs.
// param video_id: STRING - the video
// returns id: STRING - the node
// returns embedding: LIST<FLOAT> - its vector
MATCH (n:Event {videoId: $video_id})
RETURN n.id AS id, n.embedding AS embedding
ORDER BY id
