// name: explore/uncovered
// mode: read
// summary: Stretches of a video that the memory does not know: frames that failed or were blocked.
// param video_id: STRING - the video
// returns from_s: FLOAT - first frame of the stretch
// returns to_s: FLOAT - last frame of the stretch
// returns frames: INTEGER - how many sampled frames
// returns coverage: STRING - blocked or failed
MATCH (f:Frame {videoId: $video_id})
WHERE f.coverage <> 'ok'
WITH f ORDER BY f.index
WITH f.coverage AS coverage, collect({i: f.index, t: f.t}) AS moments
UNWIND range(0, size(moments) - 1) AS k
WITH coverage, moments[k] AS moment, moments[k].i - k AS stretch
WITH coverage, stretch, min(moment.t) AS from_s, max(moment.t) AS to_s, count(*) AS frames
RETURN from_s, to_s, frames, coverage
ORDER BY from_s, coverage
