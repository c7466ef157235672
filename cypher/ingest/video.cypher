// name: ingest/video
// mode: write
// summary: A video, before its frames; an existing one stays as it is.
// param video_id: STRING - the video
// param properties: MAP - its properties
MERGE (v:Video {id: $video_id})
ON CREATE SET v += $properties, v.status = 'indexing', v.revision = 0, v.frameNodeCount = 0, v.windowEnds = [],
              v.createdAt = datetime()
