// name: schema/vector_indexes
// mode: read
// summary: The vector indexes that are there.
// returns name: STRING - the index
// returns dimensions: INTEGER - length of its vectors
// returns properties: LIST<STRING> - the vector's property, then those that a search may filter by
SHOW VECTOR INDEXES YIELD name, options, properties
RETURN name, options.indexConfig['vector.dimensions'] AS dimensions, properties
ORDER BY name
