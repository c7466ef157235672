// name: schema/0021_event_text
// mode: schema
// summary: Full-text search over the descriptions of events.
CREATE FULLTEXT INDEX event_text IF NOT EXISTS
FOR (n:Event) ON EACH [n.description]
