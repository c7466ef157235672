// name: explore/crowding
// mode: read
// summary: How many entities are in the picture, frame by frame.
// param video_id: STRING - the video
// returns t: FLOAT - second
// returns frame_index: INTEGER - frame
// returns entities: INTEGER - how many
// returns labels: LIST<STRING> - what they are
// returns coverage: STRING - ok, blocked or failed
MATCH (f:Frame {videoId: $video_id})
OPTIONAL MATCH (f)-[:CONTAINS]->(n:FrameNode)
WITH f, n ORDER BY n.label
RETURN f.t AS t, f.index AS frame_index, count(n) AS entities, collect(DISTINCT n.label) AS labels, f.coverage AS coverage
ORDER BY frame_index
