// name: schema/drop_frame_node_text
// mode: schema
// summary: Remove the full-text index over frame nodes.
DROP INDEX frame_node_text IF EXISTS
