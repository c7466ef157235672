// name: ingest/adopt_video
// mode: write
// summary: A replacement whose parts have their ids is the video from now on.
// param video_id: STRING - the video
// param replacement_id: STRING - the graph that takes its place
MATCH (v:Video {id: $replacement_id})
SET v.id = $video_id, v.status = 'ready'
