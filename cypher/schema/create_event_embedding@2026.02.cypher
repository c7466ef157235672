// name: schema/create_event_embedding@2026.02
// mode: schema
// summary: Vector index over the sentences of events, with the properties that a search may filter by.
// param dimensions: INTEGER - length of the vectors
CYPHER 25
CREATE VECTOR INDEX event_embedding IF NOT EXISTS
FOR (n:Event) ON n.embedding WITH [n.videoId, n.tStart]
// Whole vectors, not ones shortened to 8 bits: neighbours that lie close together are told apart, and scores are exact.
// Twice the links of the default: of a million sentences the nearest ten are found, at the price of a slower build.
OPTIONS {
  indexConfig: {
    `vector.dimensions`: $dimensions,
    `vector.similarity_function`: 'cosine',
    `vector.quantization.enabled`: false,
    `vector.hnsw.m`: 32,
    `vector.hnsw.ef_construction`: 200
  }
}
