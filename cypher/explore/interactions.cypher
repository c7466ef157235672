// name: explore/interactions
// mode: read
// summary: Who has to do with whom as a picture: for each pair and relation its first moment, the most frequent first.
// param video_id: STRING - the video
// param limit: INTEGER - how many at most examples
// returns example: PATH - entity, frame node, relation, frame node, entity
// returns predicate: STRING - the relation
// returns frames: INTEGER - in how many frames it holds between the two
MATCH example = (a:Entity {videoId: $video_id})-[:APPEARS_AS]->(n:FrameNode)-[r:REL]->(:FrameNode)<-[:APPEARS_AS]-(b:Entity)
WITH example, a, b, r, n
ORDER BY n.t, r.source
WITH a.id AS subject_id, b.id AS object_id, r.predicate AS predicate, count(*) AS frames, collect(example)[0] AS example
RETURN example, predicate, frames
ORDER BY frames DESC, subject_id, object_id, predicate
LIMIT $limit
