// name: explore/relations
// mode: read
// summary: Which relations a video holds, between what and how often.
// param video_id: STRING - the video
// returns predicate: STRING - the relation
// returns subject: STRING - label of the one
// returns object: STRING - label of the other
// returns source: STRING - geometry, model or annotation
// returns frames: INTEGER - in how many frames
// returns first_s: FLOAT - first second
// returns last_s: FLOAT - last second
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
RETURN r.predicate AS predicate, a.label AS subject, b.label AS object, r.source AS source,
       count(DISTINCT a.frameIndex) AS frames, min(a.t) AS first_s, max(a.t) AS last_s
ORDER BY frames DESC, predicate, subject, object, source
