// name: evaluation/nearest_seconds
// mode: read
// summary: For each of several queries the sampled frames of a video with the nearest sentences, best first.
// param video_id: STRING - the video to search in
// param embeddings: LIST<LIST<FLOAT>> - query embeddings, as long as the nodes' vectors
// param k: INTEGER - how many frames for each query
// returns query: INTEGER - 0-based position of the query
// returns node_id: STRING - the frame node with the nearest sentence of its frame
// returns entity_id: STRING - its entity
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the sentence
// returns score: FLOAT - cosine similarity mapped to 0..1
UNWIND range(0, size($embeddings) - 1) AS query
CALL (query) {
  MATCH (n:FrameNode {videoId: $video_id})
  WHERE n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embeddings[query]) AS score
  ORDER BY score DESC, n.id
  WITH n.frameIndex AS frame_index, head(collect(n)) AS n, max(score) AS score
  ORDER BY score DESC, frame_index
  LIMIT $k
  RETURN n, frame_index, score
}
RETURN query, n.id AS node_id, n.entityId AS entity_id, frame_index, n.t AS t, n.description AS description, score
ORDER BY query, score DESC, frame_index
