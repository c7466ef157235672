// name: ingest/delete_vector_blocks
// mode: write
// summary: Remove some vector blocks of a video; again until none is left.
// param video_id: STRING - the video
// param limit: INTEGER - how many at once
MATCH (n:VectorBlock {videoId: $video_id})
WITH n LIMIT $limit
DETACH DELETE n
