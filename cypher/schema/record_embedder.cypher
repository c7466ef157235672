// name: schema/record_embedder
// mode: write
// summary: Remember the embedder of a new graph; an existing record stays.
// param name: STRING - its reference
// param dimensions: INTEGER - length of its vectors
MERGE (e:Embedder {id: 'current'})
ON CREATE SET e.name = $name, e.dimensions = $dimensions, e.status = 'ready'
