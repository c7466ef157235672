// name: corrections/frame_nodes
// mode: read
// summary: The frame nodes of some entities as they are and as they were written.
// param entity_ids: LIST<STRING> - the entities
// returns id: STRING - the frame node
// returns entity_id: STRING - its entity
// returns label: STRING - what it is
// returns found_label: STRING - what it was found to be
// returns description: STRING - its sentence
// returns found_description: STRING - its sentence before it was corrected
MATCH (n:FrameNode)
WHERE n.entityId IN $entity_ids
RETURN n.id AS id, n.entityId AS entity_id, n.label AS label, coalesce(n.originalLabel, n.label) AS found_label,
       n.description AS description, coalesce(n.originalDescription, n.description) AS found_description
ORDER BY id
