// name: schema/0026_unanswered
// mode: write
// summary: Make the name of what no model answered for known, as 0022_names does with those before it.
CALL db.createProperty('unanswered')
