// name: schema/0005_entity_id
// mode: schema
// summary: An entity's id is unique.
CREATE CONSTRAINT entity_id IF NOT EXISTS
FOR (n:Entity) REQUIRE n.id IS UNIQUE
