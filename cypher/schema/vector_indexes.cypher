// name: schema/vector_indexes
// mode: read
// summary: The vector indexes that are there.
// returns name: STRING - the index
// returns dimensions: INTEGER - length of its vectors
// returns shortened: BOOLEAN - whether it searches vectors of 8 bits a number
// returns properties: LIST<STRING> - the vector's property, then those that a search may filter by
SHOW VECTOR INDEXES YIELD name, options, properties
RETURN name, options.indexConfig['vector.dimensions'] AS dimensions,
       // Servers of 2026 name the kind, earlier ones say whether.
       coalesce(options.indexConfig['vector.quantization.type'] <> 'NONE',
                options.indexConfig['vector.quantization.enabled'], true) AS shortened,
       properties
ORDER BY name
