// name: ingest/write_usage
// mode: write
// summary: Note what the calls of models for a video came to.
// param video_id: STRING - the video
// param usage: STRING - by stage, as JSON
// param unanswered: INTEGER - frames and entities that no model answered for
MATCH (v:Video {id: $video_id})
SET v.usage = $usage, v.unanswered = $unanswered
