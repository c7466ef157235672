// name: schema/0036_entity_name
// mode: schema
// summary: Entities that a person gave a name.
CREATE INDEX entity_name IF NOT EXISTS
FOR (n:Entity) ON (n.name)
