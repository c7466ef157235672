// name: schema/0002_embedder_id
// mode: schema
// summary: One record of the embedder that made the vectors.
CREATE CONSTRAINT embedder_id IF NOT EXISTS
FOR (n:Embedder) REQUIRE n.id IS UNIQUE
