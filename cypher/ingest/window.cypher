// name: ingest/window
// mode: write
// summary: A window is written: in the transaction that writes it.
// param video_id: STRING - the video
// param window_ends: LIST<INTEGER> - for each written window the frame index behind its last frame
MATCH (v:Video {id: $video_id})
SET v.windowEnds = CASE WHEN size(v.windowEnds) < size($window_ends) THEN $window_ends ELSE v.windowEnds END
