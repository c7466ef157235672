// name: ingest/delete_frame_nodes
// mode: write
// summary: Remove some frame nodes of a video; again until none is left.
// param video_id: STRING - the video
// param limit: INTEGER - how many at once
MATCH (n:FrameNode {videoId: $video_id})
WITH n LIMIT $limit
DETACH DELETE n
