// name: reasoning/localize_node_kept
// mode: read
// summary: Frame nodes that vectors kept in memory showed to be nearest to a query embedding; none when the video has changed since.
// param video_id: STRING - the video to search in
// param version: STRING - of the video when its vectors were kept
// param node_ids: LIST<STRING> - the nodes, a few more than wanted
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// param k: INTEGER - how many nodes to return
// returns node_id: STRING - the frame node
// returns video_id: STRING - its video
// returns entity_id: STRING - its entity
// returns label: STRING - what it is
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max; empty when unknown
// returns attributes: LIST<STRING> - its attributes
// returns description: STRING - its sentence
// returns score: FLOAT - cosine similarity mapped to 0..1
MATCH (v:Video {id: $video_id, status: 'ready'})
WHERE elementId(v) + ' ' + coalesce(toString(v.createdAt), '') + ' ' + v.revision + ' '
      + v.frameNodeCount + ' ' + size(coalesce(v.windowEnds, [])) + ' ' + v.embedder = $version
UNWIND $node_ids AS wanted
MATCH (n:FrameNode {id: wanted})
WHERE n.embedding IS NOT NULL
WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
RETURN n.id AS node_id, n.videoId AS video_id, n.entityId AS entity_id, n.label AS label, n.frameIndex AS frame_index,
       n.t AS t, CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score
ORDER BY score DESC, node_id
LIMIT $k
