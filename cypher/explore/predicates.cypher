// name: explore/predicates
// mode: read
// summary: Relations of a video by predicate and source: how often, between how many pairs, how sure.
// param video_id: STRING - the video
// returns predicate: STRING - the relation
// returns source: STRING - geometry, model or annotation
// returns relations: INTEGER - how many, frame by frame
// returns pairs: INTEGER - between how many pairs of entities
// returns confidence: FLOAT | NULL - their mean confidence
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
RETURN r.predicate AS predicate, r.source AS source, count(*) AS relations,
       count(DISTINCT a.entityId + ' ' + b.entityId) AS pairs, avg(r.confidence) AS confidence
ORDER BY relations DESC, predicate, source
