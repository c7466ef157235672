// name: reasoning/pairs
// mode: read
// summary: Frames that show an entity of one group together with one of another, with both boxes and what relates them.
// param subject_ids: LIST<STRING> - entities of the first group
// param object_ids: LIST<STRING> - entities of the second group
// param from_s: FLOAT - start of the span, seconds
// param to_s: FLOAT - end of the span, seconds, half-open
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns subject_id: STRING - frame node of the first
// returns subject_entity_id: STRING - its entity
// returns subject_box: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns subject_text: STRING - its sentence
// returns object_id: STRING - frame node of the second
// returns object_entity_id: STRING - its entity
// returns object_box: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns predicates: LIST<STRING> - relations between the two, either way
UNWIND $subject_ids AS wanted
MATCH (a:FrameNode {entityId: wanted})
WHERE a.t >= $from_s AND a.t < $to_s AND a.xMin IS NOT NULL
MATCH (a)<-[:CONTAINS]-(:Frame)-[:CONTAINS]->(b:FrameNode)
WHERE b.entityId IN $object_ids AND b.entityId <> a.entityId AND b.xMin IS NOT NULL
RETURN a.frameIndex AS frame_index, a.t AS t, a.id AS subject_id, a.entityId AS subject_entity_id,
       [a.xMin, a.yMin, a.xMax, a.yMax] AS subject_box, a.description AS subject_text, b.id AS object_id,
       b.entityId AS object_entity_id, [b.xMin, b.yMin, b.xMax, b.yMax] AS object_box,
       COLLECT { MATCH (a)-[r:REL]-(b) RETURN r.predicate ORDER BY r.predicate } AS predicates
ORDER BY t, subject_id, object_id
