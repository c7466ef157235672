// name: identities/words
// mode: read
// summary: Vectors of a few frame nodes of each entity, evenly spread over its life.
// param entity_ids: LIST<STRING> - the entities
// param per_entity: INTEGER - how many frame nodes of each, at most
// returns entity_id: STRING - the entity
// returns embeddings: LIST<LIST<FLOAT>> - vectors of each frame node
UNWIND $entity_ids AS wanted
CALL (wanted) {
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.embedding IS NOT NULL
  WITH n ORDER BY n.t, n.id
  WITH collect(n) AS nodes
  WITH nodes, size(nodes) AS found,
       CASE WHEN size(nodes) < $per_entity THEN size(nodes) ELSE $per_entity END AS wanted_nodes
  RETURN [i IN range(0, wanted_nodes - 1) | nodes[(2 * i + 1) * found / (2 * wanted_nodes)]] AS chosen
}
RETURN wanted AS entity_id, [n IN chosen | n.embedding] AS embeddings
ORDER BY entity_id
