// name: schema/drop_event_text
// mode: schema
// summary: Remove the full-text index over events.
DROP INDEX event_text IF EXISTS
