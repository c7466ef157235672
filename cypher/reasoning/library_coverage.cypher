// name: reasoning/library_coverage
// mode: read
// summary: What the memory does not cover of each video (its first build): its status, and the frames that are not known.
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns status: STRING - indexing, ready, replacing or deleting
// returns duration_s: FLOAT - seconds
// returns sample_interval_s: FLOAT - seconds between sampled frames
// returns frames: INTEGER - sampled frames
// returns blocked: INTEGER - frames that a model declined to describe
// returns failed: INTEGER - frames that could not be read or described
// returns unknown_times_s: LIST<FLOAT> - times of the frames that are not known, ascending
MATCH (v:Video)
WHERE NOT EXISTS {
  MATCH (d:Video {status: 'ready'})
  WHERE d.id STARTS WITH split(v.id, '~')[0] AND d.id < v.id AND d.contentHash = v.contentHash
}
OPTIONAL MATCH (f:Frame)
WHERE f.coverage IN ['blocked', 'failed'] AND f.videoId = v.id
WITH v, f ORDER BY f.t
RETURN v.id AS video_id, v.title AS title, v.status AS status, v.duration AS duration_s,
       v.sampleInterval AS sample_interval_s, v.frameCount AS frames,
       sum(CASE WHEN f.coverage = 'blocked' THEN 1 ELSE 0 END) AS blocked,
       sum(CASE WHEN f.coverage = 'failed' THEN 1 ELSE 0 END) AS failed,
       collect(f.t) AS unknown_times_s
ORDER BY title, video_id
