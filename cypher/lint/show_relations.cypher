// name: lint/show_relations
// mode: read
// summary: All that is said and measured between two entities in some frames, as a picture.
// param subject_id: STRING - an entity
// param object_id: STRING - the other
// param from_s: FLOAT - from this second
// param to_s: FLOAT - to this one
// param limit: INTEGER - how many at most
// returns relation: PATH - one in its frame node, the relation, the other
MATCH relation = (a:FrameNode {entityId: $subject_id})-[:REL]-(b:FrameNode {entityId: $object_id})
WHERE $from_s <= a.t <= $to_s
RETURN relation
ORDER BY a.t
LIMIT $limit
