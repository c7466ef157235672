// name: ingest/delete_video
// mode: write
// summary: Remove a video whose parts are gone.
// param video_id: STRING - the video
MATCH (v:Video {id: $video_id})
DETACH DELETE v
