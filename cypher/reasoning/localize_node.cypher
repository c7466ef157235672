// name: reasoning/localize_node
// mode: read
// summary: Frame nodes of one large video nearest to a query embedding, from the vector index, fetching more than wanted.
// param video_id: STRING - the video to search in
// param embedding: LIST<FLOAT> - query embedding, as long as the index's vectors
// param fetch: INTEGER - how many nodes of the whole library to look at
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
CALL db.index.vector.queryNodes('frame_node_embedding', $fetch, $embedding) YIELD node AS n, score
WHERE n.videoId = $video_id
RETURN n.id AS node_id, n.videoId AS video_id, n.entityId AS entity_id, n.label AS label, n.frameIndex AS frame_index,
       n.t AS t, CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score
ORDER BY score DESC, node_id
LIMIT $k
