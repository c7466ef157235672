// name: schema/0007_event_id
// mode: schema
// summary: An event's id is unique.
CREATE CONSTRAINT event_id IF NOT EXISTS
FOR (n:Event) REQUIRE n.id IS UNIQUE
