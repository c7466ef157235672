// name: export/entities
// mode: read
// summary: The entities of a video.
// param video_id: STRING - the video
// returns record: MAP - properties
MATCH (e:Entity {videoId: $video_id})
RETURN e {.id, .trackId, .label, .description, .color, .tStart, .tEnd, .identityId, .trackT, .trackBoxes} AS record
ORDER BY e.id
