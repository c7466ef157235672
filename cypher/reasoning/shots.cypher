// name: reasoning/shots
// mode: read
// summary: Shots of videos in order, from cut to cut; no row for a video that was indexed before its cuts were kept.
// param video_ids: LIST<STRING> - the videos
// returns video_id: STRING - the video
// returns shot: INTEGER - 1, 2, ... within its video
// returns start_s: FLOAT - start, seconds: the cut before it
// returns end_s: FLOAT - end, seconds: the next cut
// returns frame_index: INTEGER - first sampled frame from its start on, else the last one
MATCH (v:Video)
WHERE v.id IN $video_ids AND v.cuts IS NOT NULL
UNWIND range(0, size(v.cuts)) AS i
WITH v, i, ([0.0] + v.cuts)[i] AS start_s, (v.cuts + [v.duration])[i] AS end_s
RETURN v.id AS video_id, i + 1 AS shot, start_s, end_s,
       coalesce(COLLECT { MATCH (f:Frame {videoId: v.id}) WHERE f.t >= start_s RETURN f.index ORDER BY f.t LIMIT 1 }[0],
                v.frameCount - 1) AS frame_index
ORDER BY video_id, shot
