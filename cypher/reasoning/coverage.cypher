// name: reasoning/coverage
// mode: read
// summary: How many sampled frames of a video the memory knows, and the times of those it does not.
// param video_id: STRING - the video
// returns frames: INTEGER - sampled frames
// returns known: INTEGER - frames that were described
// returns blocked: INTEGER - frames that a model declined to describe
// returns failed: INTEGER - frames that could not be read or described
// returns unknown_times_s: LIST<FLOAT> - times of the frames that are not known, ascending
MATCH (f:Frame {videoId: $video_id})
WITH f ORDER BY f.index
RETURN count(f) AS frames,
       sum(CASE WHEN f.coverage = 'ok' THEN 1 ELSE 0 END) AS known,
       sum(CASE WHEN f.coverage = 'blocked' THEN 1 ELSE 0 END) AS blocked,
       sum(CASE WHEN f.coverage = 'failed' THEN 1 ELSE 0 END) AS failed,
       collect(CASE WHEN f.coverage <> 'ok' THEN f.t END) AS unknown_times_s
