// name: export/same_as
// mode: read
// summary: The chains of appearances of a video.
// param video_id: STRING - the video
// returns record: MAP - ends and properties
MATCH (a:FrameNode {videoId: $video_id})-[s:SAME_AS]->(b:FrameNode)
RETURN s {earlier: a.id, later: b.id, .gap, .score, .method, .scope} AS record
ORDER BY a.id, b.id
