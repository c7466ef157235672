// name: report/frames
// mode: read
// summary: The sampled frames of a video in time order: what is said of each, and whether it is known.
// param video_id: STRING - the video
// returns frame_index: INTEGER - position among the sampled frames
// returns t: FLOAT - second
// returns description: STRING - what is said of the frame
// returns coverage: STRING - ok, blocked or failed
MATCH (f:Frame {videoId: $video_id})
RETURN f.index AS frame_index, f.t AS t, f.description AS description, f.coverage AS coverage
ORDER BY frame_index
