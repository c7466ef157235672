// name: reasoning/library_labels
// mode: read
// summary: The different labels of all entities in the library.
// returns label: STRING - a label
MATCH (e:Entity)
RETURN DISTINCT e.label AS label
ORDER BY label
