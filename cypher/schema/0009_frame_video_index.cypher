// name: schema/0009_frame_video_index
// mode: schema
// summary: A video has one frame of each index; uniform samples are found by it.
CREATE CONSTRAINT frame_video_index IF NOT EXISTS
FOR (n:Frame) REQUIRE (n.videoId, n.index) IS UNIQUE
