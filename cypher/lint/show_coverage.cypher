// name: lint/show_coverage
// mode: read
// summary: The frames of a stretch of a video with what the memory knows of them.
// param video_id: STRING - the video
// param from_s: FLOAT - from this second
// param to_s: FLOAT - to this one
// returns frame_index: INTEGER - number among the sampled frames
// returns t: FLOAT - second
// returns coverage: STRING - ok, blocked or failed
// returns description: STRING | NULL - what is said of it
MATCH (f:Frame {videoId: $video_id})
WHERE $from_s <= f.t <= $to_s
RETURN f.index AS frame_index, f.t AS t, f.coverage AS coverage, f.description AS description
ORDER BY t
