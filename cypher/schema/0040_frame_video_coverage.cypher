// name: schema/0040_frame_video_coverage
// mode: schema
// summary: Frames of a video that are not known.
CREATE INDEX frame_video_coverage IF NOT EXISTS
FOR (n:Frame) ON (n.videoId, n.coverage)
