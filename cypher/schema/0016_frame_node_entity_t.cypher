// name: schema/0016_frame_node_entity_t
// mode: schema
// summary: Frame nodes of an entity in time order.
CREATE INDEX frame_node_entity_t IF NOT EXISTS
FOR (n:FrameNode) ON (n.entityId, n.t)
