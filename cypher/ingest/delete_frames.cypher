// name: ingest/delete_frames
// mode: write
// summary: Remove some frames of a video; again until none is left.
// param video_id: STRING - the video
// param limit: INTEGER - how many at once
MATCH (n:Frame {videoId: $video_id})
WITH n LIMIT $limit
DETACH DELETE n
