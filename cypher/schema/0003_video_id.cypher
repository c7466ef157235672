// name: schema/0003_video_id
// mode: schema
// summary: A video's id is unique.
CREATE CONSTRAINT video_id IF NOT EXISTS
FOR (n:Video) REQUIRE n.id IS UNIQUE
