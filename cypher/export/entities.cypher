// name: export/entities
// mode: read
// summary: The entities of a video.
// param video_id: STRING - the video
// returns record: MAP - properties
MATCH (e:Entity {videoId: $video_id})
RETURN e {.id, .trackId, .label, .description, .color, .tStart, .tEnd, .identityId, .trackT, .trackBoxes,
          coverage: coalesce(e.coverage, 'ok')} AS record
ORDER BY e.id
