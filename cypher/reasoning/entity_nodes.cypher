// name: reasoning/entity_nodes
// mode: read
// summary: Frame nodes of entities within spans of time, spread evenly over each span.
// param entity_ids: LIST<STRING> - the entities
// param spans: LIST<LIST<FLOAT>> - each a start and an end in seconds, half-open
// param per_span: INTEGER - at most this many nodes of each span
// returns span: INTEGER - 0-based position of the span
// returns node_id: STRING - the frame node
// returns entity_id: STRING - its entity
// returns label: STRING - what it is
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max; empty when unknown
// returns attributes: LIST<STRING> - its attributes
// returns description: STRING - its sentence
UNWIND range(0, size($spans) - 1) AS span
CALL (span) {
  UNWIND $entity_ids AS wanted
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.t >= $spans[span][0] AND n.t < $spans[span][1]
  WITH n ORDER BY n.t, n.id
  WITH collect(n) AS found
  WITH found, CASE WHEN size(found) < $per_span THEN size(found) ELSE $per_span END AS m
  UNWIND range(0, m - 1) AS i
  RETURN found[toInteger((i + 0.5) * size(found) / m)] AS n
}
RETURN span, n.id AS node_id, n.entityId AS entity_id, n.label AS label, n.frameIndex AS frame_index, n.t AS t,
       CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description
ORDER BY span, t, node_id
