// name: reasoning/localize_node_exact
// mode: read
// summary: Frame nodes of one video nearest to a query embedding, compared one by one within a span of time.
// param videoId: STRING - the video to search in
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// param fromS: FLOAT - start of the span, seconds
// param toS: FLOAT - end of the span, seconds, half-open
// param k: INTEGER - how many nodes to return
// returns nodeId: STRING - the frame node
// returns videoId: STRING - its video
// returns entityId: STRING - its entity
// returns label: STRING - what it is
// returns frameIndex: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max; empty when unknown
// returns attributes: LIST<STRING> - its attributes
// returns description: STRING - its sentence
// returns score: FLOAT - cosine similarity mapped to 0..1
MATCH (n:FrameNode {videoId: $videoId})
WHERE n.t >= $fromS AND n.t < $toS AND n.embedding IS NOT NULL
WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
RETURN n.id AS nodeId, n.videoId AS videoId, n.entityId AS entityId, n.label AS label, n.frameIndex AS frameIndex,
       n.t AS t, CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score
ORDER BY score DESC, nodeId
LIMIT $k
