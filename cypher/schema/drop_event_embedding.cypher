// name: schema/drop_event_embedding
// mode: schema
// summary: Remove the vector index over events.
DROP INDEX event_embedding IF EXISTS
