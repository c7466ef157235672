// name: library/names
// mode: read
// summary: Every label, relationship type and property that the database knows.
// returns kind: STRING - label, relationship type or property
// returns name: STRING - its name
CALL () {
  CALL db.labels() YIELD label RETURN 'label' AS kind, label AS name
  UNION ALL
  CALL db.relationshipTypes() YIELD relationshipType RETURN 'relationship type' AS kind, relationshipType AS name
  UNION ALL
  CALL db.propertyKeys() YIELD propertyKey RETURN 'property' AS kind, propertyKey AS name
}
RETURN kind, name
ORDER BY kind, name
