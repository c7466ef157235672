// name: ingest/adopt_events
// mode: write
// summary: Some events of a complete replacement get the ids of the video whose place it takes; again until none is left.
// param video_id: STRING - the video
// param replacement_id: STRING - the graph that takes its place
// param limit: INTEGER - how many at once
MATCH (n:Event {videoId: $replacement_id})
WITH n LIMIT $limit
SET n.id = $video_id + substring(n.id, size($replacement_id)), n.videoId = $video_id,
    n.entityId = $video_id + substring(n.entityId, size($replacement_id))
