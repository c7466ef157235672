// name: schema/0019_vector_block_video
// mode: schema
// summary: Vector blocks of a video.
CREATE INDEX vector_block_video IF NOT EXISTS
FOR (n:VectorBlock) ON (n.videoId)
