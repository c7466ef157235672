// name: schema/0010_frame_video
// mode: schema
// summary: Frames of a video; an index over more properties is not used for this one alone.
CREATE INDEX frame_video IF NOT EXISTS
FOR (n:Frame) ON (n.videoId)
