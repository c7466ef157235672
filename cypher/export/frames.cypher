// name: export/frames
// mode: read
// summary: The frames of a video.
// param video_id: STRING - the video
// returns record: MAP - properties
MATCH (f:Frame {videoId: $video_id})
RETURN f {.id, .index, .sourceFrame, .t, .description, .coverage, next: [(f)-[:NEXT]->(g) | g.id]} AS record
ORDER BY f.id
