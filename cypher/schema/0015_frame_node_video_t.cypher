// name: schema/0015_frame_node_video_t
// mode: schema
// summary: Frame nodes of a video in an interval.
CREATE INDEX frame_node_video_t IF NOT EXISTS
FOR (n:FrameNode) ON (n.videoId, n.t)
