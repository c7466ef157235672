// name: schema/0008_vector_block_id
// mode: schema
// summary: A vector block's id is unique; the label is reserved for a cache of vectors, nothing fills it yet.
CREATE CONSTRAINT vector_block_id IF NOT EXISTS
FOR (n:VectorBlock) REQUIRE n.id IS UNIQUE
