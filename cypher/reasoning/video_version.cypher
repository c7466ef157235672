// name: reasoning/video_version
// mode: read
// summary: What tells whether a video's vectors are still those that were read before.
// param video_id: STRING - the video
// returns version: STRING - another one after each change; empty for a video that is not complete
MATCH (v:Video {id: $video_id})
RETURN CASE v.status WHEN 'ready' THEN elementId(v) + ' ' + coalesce(toString(v.createdAt), '') + ' ' + v.revision + ' '
       + v.frameNodeCount + ' ' + size(coalesce(v.windowEnds, [])) + ' ' + v.embedder ELSE '' END AS version
