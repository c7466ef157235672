// name: schema/0004_frame_id
// mode: schema
// summary: A frame's id is unique.
CREATE CONSTRAINT frame_id IF NOT EXISTS
FOR (n:Frame) REQUIRE n.id IS UNIQUE
