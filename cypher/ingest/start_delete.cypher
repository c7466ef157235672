// name: ingest/start_delete
// mode: write
// summary: A video is about to go: nothing may be asked of it any more.
// param video_id: STRING - the video
MATCH (v:Video {id: $video_id})
SET v.status = 'deleting'
