// name: export/relations
// mode: read
// summary: The relations between the frame nodes of a video.
// param video_id: STRING - the video
// returns record: MAP - ends and properties
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
RETURN r {subject: a.id, object: b.id, .predicate, .text, .source, .confidence} AS record
ORDER BY a.id, b.id, r.predicate, r.source
