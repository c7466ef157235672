// name: ingest/write_usage
// mode: write
// summary: Note what the calls of models for a video came to.
// param video_id: STRING - the video
// param usage: STRING - by stage, as JSON
MATCH (v:Video {id: $video_id})
SET v.usage = $usage
