// name: bundle/start
// mode: write
// summary: A video from a bundle, before its parts; nothing may be asked of it yet.
// param video_id: STRING - the video
// param properties: MAP - its properties
CREATE (v:Video {id: $video_id})
SET v += $properties, v.id = $video_id, v.status = 'importing', v.revision = 0, v.frameNodeCount = 0, v.windowEnds = []
