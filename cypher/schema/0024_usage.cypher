// name: schema/0024_usage
// mode: write
// summary: Make the name of the usage of models known, as 0022_names does with those before it.
CALL db.createProperty('usage')
