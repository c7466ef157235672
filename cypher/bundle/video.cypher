// name: bundle/video
// mode: read
// summary: A video for a bundle: what it is, and which state it was in.
// param video_id: STRING - the video
// returns properties: MAP - all properties but the place of the file and what changes while it is written
// returns times: LIST<STRING> - the names of those that are times
// returns status: STRING - ready for a complete video
// returns revision: INTEGER - grows with each change
MATCH (v:Video {id: $video_id})
RETURN v {.*, uri: null, status: null, revision: null, windowEnds: null, frameNodeCount: null} AS properties,
       [name IN keys(v) WHERE valueType(v[name]) STARTS WITH 'ZONED' | name] AS times,
       v.status AS status, v.revision AS revision
