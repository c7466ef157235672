// name: reasoning/pairs
// mode: read
// summary: Frames that show an entity of one group together with one of another, with both boxes and what relates them.
// param subjectIds: LIST<STRING> - entities of the first group
// param objectIds: LIST<STRING> - entities of the second group
// param fromS: FLOAT - start of the span, seconds
// param toS: FLOAT - end of the span, seconds, half-open
// returns frameIndex: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns subjectId: STRING - frame node of the first
// returns subjectEntity: STRING - its entity
// returns subjectBox: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns subjectText: STRING - its sentence
// returns objectId: STRING - frame node of the second
// returns objectEntity: STRING - its entity
// returns objectBox: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns predicates: LIST<STRING> - relations between the two, either way
UNWIND $subjectIds AS wanted
MATCH (a:FrameNode {entityId: wanted})
WHERE a.t >= $fromS AND a.t < $toS AND a.xMin IS NOT NULL
MATCH (a)<-[:CONTAINS]-(:Frame)-[:CONTAINS]->(b:FrameNode)
WHERE b.entityId IN $objectIds AND b.entityId <> a.entityId AND b.xMin IS NOT NULL
RETURN a.frameIndex AS frameIndex, a.t AS t, a.id AS subjectId, a.entityId AS subjectEntity,
       [a.xMin, a.yMin, a.xMax, a.yMax] AS subjectBox, a.description AS subjectText, b.id AS objectId,
       b.entityId AS objectEntity, [b.xMin, b.yMin, b.xMax, b.yMax] AS objectBox,
       COLLECT { MATCH (a)-[r:REL]-(b) RETURN r.predicate ORDER BY r.predicate } AS predicates
ORDER BY t, subjectId, objectId
