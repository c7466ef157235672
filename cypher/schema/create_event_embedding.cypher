// name: schema/create_event_embedding
// mode: schema
// summary: Vector index over the sentences of events.
// param dimensions: INTEGER - length of the vectors
CREATE VECTOR INDEX event_embedding IF NOT EXISTS
FOR (n:Event) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}}
