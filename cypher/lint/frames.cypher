// name: lint/frames
// mode: read
// summary: The sampled frames of a video with their descriptions.
// param video_id: STRING - the video
// returns frame_id: STRING - the frame
// returns frame_index: INTEGER - its number
// returns t: FLOAT - second
// returns description: STRING | NULL - what is said of it
// returns coverage: STRING - ok, blocked or failed
MATCH (f:Frame {videoId: $video_id})
RETURN f.id AS frame_id, f.index AS frame_index, f.t AS t, f.description AS description, f.coverage AS coverage
ORDER BY frame_index
