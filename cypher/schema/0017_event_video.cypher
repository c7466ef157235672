// name: schema/0017_event_video
// mode: schema
// summary: Events of a video.
CREATE INDEX event_video IF NOT EXISTS
FOR (n:Event) ON (n.videoId)
