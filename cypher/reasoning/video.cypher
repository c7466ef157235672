// name: reasoning/video
// mode: read
// summary: One video with what reasoning needs to know of it.
// param video_id: STRING - the video
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns uri: STRING | NULL - where it was read from; null without a file
// returns duration_s: FLOAT - seconds
// returns frames: INTEGER - sampled frames
// returns frame_nodes: INTEGER - frame nodes
// returns sample_interval_s: FLOAT - seconds between sampled frames
// returns width_px: INTEGER - displayed pixels
// returns height_px: INTEGER - displayed pixels
// returns status: STRING - indexing or ready
// returns content_hash: STRING | NULL - SHA-256 of the file; null for a video that is known by its annotation alone
// returns detector: STRING - what found the boxes
// returns describer: STRING - what told of them
// returns tracked: BOOLEAN - whether boxes of any entity were tracked; otherwise only words are known of it
// returns version: STRING - another one after each change; empty for a video that is not complete
MATCH (v:Video {id: $video_id})
RETURN v.id AS video_id, v.title AS title, v.uri AS uri, v.duration AS duration_s, v.frameCount AS frames,
       v.frameNodeCount AS frame_nodes, v.sampleInterval AS sample_interval_s, v.width AS width_px,
       v.height AS height_px, v.status AS status, v.contentHash AS content_hash,
       v.detector AS detector, v.describer AS describer,
       EXISTS { MATCH (e:Entity {videoId: v.id}) WHERE size(e.trackT) > 0 } AS tracked,
       CASE v.status WHEN 'ready' THEN elementId(v) + ' ' + coalesce(toString(v.createdAt), '') + ' ' + v.revision + ' '
       + v.frameNodeCount + ' ' + size(coalesce(v.windowEnds, [])) + ' ' + v.embedder ELSE '' END AS version
