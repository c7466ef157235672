// name: explore/empty_stretches
// mode: read
// summary: Stretches of a video that were looked at and show no entity.
// param video_id: STRING - the video
// returns from_s: FLOAT - first frame of the stretch
// returns to_s: FLOAT - last frame of the stretch
// returns frames: INTEGER - how many sampled frames
MATCH (f:Frame {videoId: $video_id})
WHERE f.coverage = 'ok' AND NOT EXISTS { (f)-[:CONTAINS]->() }
WITH f ORDER BY f.index
WITH collect({i: f.index, t: f.t}) AS moments
UNWIND range(0, size(moments) - 1) AS k
WITH moments[k] AS moment, moments[k].i - k AS stretch
WITH stretch, min(moment.t) AS from_s, max(moment.t) AS to_s, count(*) AS frames
RETURN from_s, to_s, frames
ORDER BY from_s
