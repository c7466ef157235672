// name: schema/0018_event_entity
// mode: schema
// summary: Events of an entity.
CREATE INDEX event_entity IF NOT EXISTS
FOR (n:Event) ON (n.entityId)
