// name: ingest/video_state
// mode: read
// summary: How far the indexing of a video has come; no row for an unknown video.
// param video_id: STRING - the video
// returns status: STRING - indexing, ready, replacing or deleting
// returns pipeline: STRING - what it was indexed with, as JSON
// returns window_ends: LIST<INTEGER> - for each written window the frame index behind its last frame
// returns frame_count: INTEGER - frames that were sampled
// returns frames: INTEGER - frames in the graph
// returns unanswered: INTEGER - frames and entities that no model answered for
MATCH (v:Video {id: $video_id})
RETURN v.status AS status, v.pipeline AS pipeline, v.windowEnds AS window_ends, v.frameCount AS frame_count,
       COUNT { (v)-[:HAS_FRAME]->() } AS frames, coalesce(toIntegerOrNull(v.unanswered), 0) AS unanswered
