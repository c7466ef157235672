// name: ingest/delete_entities
// mode: write
// summary: Remove some entities of a video; again until none is left.
// param video_id: STRING - the video
// param limit: INTEGER - how many at once
MATCH (n:Entity {videoId: $video_id})
WITH n LIMIT $limit
DETACH DELETE n
