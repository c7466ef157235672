// name: reasoning/videos
// mode: read
// summary: All videos of the memory, by title.
// returns videoId: STRING - the video
// returns title: STRING - its title
// returns uri: STRING | NULL - where it was read from; null without a file
// returns duration: FLOAT - seconds
// returns frameCount: INTEGER - sampled frames
// returns frameNodeCount: INTEGER - frame nodes
// returns sampleInterval: FLOAT - seconds between sampled frames
// returns width: INTEGER - displayed pixels
// returns height: INTEGER - displayed pixels
// returns status: STRING - indexing or ready
MATCH (v:Video)
RETURN v.id AS videoId, v.title AS title, v.uri AS uri, v.duration AS duration, v.frameCount AS frameCount,
       v.frameNodeCount AS frameNodeCount, v.sampleInterval AS sampleInterval, v.width AS width, v.height AS height,
       v.status AS status
ORDER BY title, videoId
