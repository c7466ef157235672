// name: reasoning/library_labels
// mode: read
// summary: The different labels of all entities in complete videos.
// returns label: STRING - a label
MATCH (:Video {status: 'ready'})-[:HAS_ENTITY]->(e)
RETURN DISTINCT e.label AS label
ORDER BY label
