// name: schema/0014_frame_node_video
// mode: schema
// summary: Frame nodes of a video.
CREATE INDEX frame_node_video IF NOT EXISTS
FOR (n:FrameNode) ON (n.videoId)
