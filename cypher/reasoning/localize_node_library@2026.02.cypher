// name: reasoning/localize_node_library@2026.02
// mode: read
// summary: Frame nodes of all complete videos, of each its first build, nearest to a query embedding.
// param embedding: LIST<FLOAT> - query embedding, as long as the index's vectors
// param fetch: INTEGER - how many nodes to look at
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
CYPHER 25
MATCH (n:FrameNode)
  SEARCH n IN (VECTOR INDEX frame_node_embedding FOR $embedding LIMIT $fetch) SCORE AS score
// So many were looked at to find the nearest; a few of these are enough to leave some out below.
WITH n, score
ORDER BY score DESC
LIMIT 20 * $k
MATCH (v:Video {id: n.videoId, status: 'ready'})
WHERE NOT EXISTS {
  MATCH (d:Video {status: 'ready'})
  WHERE d.id STARTS WITH split(v.id, '~')[0] AND d.id < v.id AND d.contentHash = v.contentHash
}
RETURN n.id AS node_id, n.videoId AS video_id, n.entityId AS entity_id, n.label AS label, n.frameIndex AS frame_index,
       n.t AS t, CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score
ORDER BY score DESC, node_id
LIMIT $k
