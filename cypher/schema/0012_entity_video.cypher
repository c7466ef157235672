// name: schema/0012_entity_video
// mode: schema
// summary: Entities of a video.
CREATE INDEX entity_video IF NOT EXISTS
FOR (n:Entity) ON (n.videoId)
