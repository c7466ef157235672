// name: ingest/delete_events
// mode: write
// summary: Remove some events of a video; again until none is left.
// param video_id: STRING - the video
// param limit: INTEGER - how many at once
MATCH (n:Event {videoId: $video_id})
WITH n LIMIT $limit
DETACH DELETE n
