// name: library/videos
// mode: read
// summary: All videos with their pipelines, by title.
// returns video_id: STRING - the video
// returns build: STRING | NULL - name of the build; null for the default one
// returns title: STRING - its title
// returns uri: STRING | NULL - where it was read from
// returns status: STRING - indexing, ready, replacing (about to take the place of another) or deleting
// returns revision: INTEGER - how often it was changed since it was made
// returns duration_s: FLOAT - seconds
// returns width_px: INTEGER - displayed pixels
// returns height_px: INTEGER - displayed pixels
// returns frame_rate: FLOAT - average frames a second
// returns sample_interval_s: FLOAT - seconds between sampled frames
// returns tracking_rate_hz: FLOAT | NULL - tracked frames a second; null when it is not known
// returns cuts_s: LIST<FLOAT> | NULL - seconds of the shot cuts; null when they are not known
// returns frames: INTEGER - sampled frames
// returns frame_nodes: INTEGER - entities in frames
// returns entities: INTEGER - entities
// returns detector: STRING - what found the boxes
// returns tracker: STRING - what joined them to tracks
// returns describer: STRING - what put them into words
// returns embedder: STRING - what made the vectors
// returns created_at: STRING - when indexing began
// returns content_hash: STRING | NULL - SHA-256 of the file; null for a video that is known by its annotation alone
MATCH (v:Video)
RETURN v.id AS video_id, v.build AS build, v.title AS title, v.uri AS uri, v.status AS status, v.revision AS revision,
       v.duration AS duration_s, v.width AS width_px, v.height AS height_px, v.frameRate AS frame_rate,
       v.sampleInterval AS sample_interval_s, v.trackingRate AS tracking_rate_hz, v.cuts AS cuts_s,
       v.frameCount AS frames, v.frameNodeCount AS frame_nodes, COUNT { (v)-[:HAS_ENTITY]->() } AS entities, v.detector AS detector,
       v.tracker AS tracker, v.describer AS describer, v.embedder AS embedder, toString(v.createdAt) AS created_at,
       v.contentHash AS content_hash
ORDER BY title, video_id
