// name: ingest/usage
// mode: read
// summary: What the calls of models for a video came to; no row for an unknown video.
// param video_id: STRING - the video
// returns usage: STRING | NULL - by stage, as JSON; null without any call
// returns unanswered: INTEGER - frames and entities that no model answered for
MATCH (v:Video {id: $video_id})
RETURN v.usage AS usage, coalesce(toIntegerOrNull(v.unanswered), 0) AS unanswered
