// name: schema/0013_entity_identity
// mode: schema
// summary: Entities of one identity.
CREATE INDEX entity_identity IF NOT EXISTS
FOR (n:Entity) ON (n.identityId)
