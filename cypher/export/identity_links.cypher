// name: export/identity_links
// mode: read
// summary: The links of a video's entities to others of the same identity.
// param video_id: STRING - the video
// returns record: MAP - ends and properties
MATCH (a:Entity {videoId: $video_id})-[s:SAME_AS]-(:Entity)
WITH DISTINCT s
RETURN s {earlier: startNode(s).id, later: endNode(s).id, .score, .method, .scope, .status, .decidedBy} AS record
ORDER BY record.earlier, record.later
