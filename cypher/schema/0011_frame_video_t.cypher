// name: schema/0011_frame_video_t
// mode: schema
// summary: Frames of a video in an interval.
CREATE INDEX frame_video_t IF NOT EXISTS
FOR (n:Frame) ON (n.videoId, n.t)
