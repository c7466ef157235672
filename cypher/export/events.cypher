// name: export/events
// mode: read
// summary: The events of a video, without vectors.
// param video_id: STRING - the video
// returns record: MAP - properties
MATCH (e:Entity)-[:HAS_EVENT]->(z:Event {videoId: $video_id})
RETURN z {.id, entity: e.id, .source, .seq, .tStart, .tEnd, .description, next: [(z)-[:NEXT]->(y) | y.id]} AS record
ORDER BY z.id
