// name: schema/drop_frame_node_embedding
// mode: schema
// summary: Remove the vector index over frame nodes.
DROP INDEX frame_node_embedding IF EXISTS
