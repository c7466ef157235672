// name: explore/relation_spells
// mode: read
// summary: From when to when a relation holds without a break, for each pair of entities.
// param video_id: STRING - the video
// param predicate: STRING | NULL - only this relation, snake_case; null for all
// param limit: INTEGER - how many at most
// returns subject_id: STRING - entity
// returns predicate: STRING - the relation
// returns object_id: STRING - the other entity
// returns from_s: FLOAT - first frame of the spell
// returns to_s: FLOAT - last frame of the spell
// returns frames: INTEGER - how many frames it spans
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
WHERE $predicate IS NULL OR r.predicate = $predicate
WITH DISTINCT a.entityId AS subject_id, r.predicate AS predicate, b.entityId AS object_id, a.frameIndex AS i, a.t AS t
ORDER BY i
WITH subject_id, predicate, object_id, collect({i: i, t: t}) AS moments
UNWIND range(0, size(moments) - 1) AS k
WITH subject_id, predicate, object_id, moments[k] AS moment, moments[k].i - k AS spell
WITH subject_id, predicate, object_id, spell, min(moment.t) AS from_s, max(moment.t) AS to_s, count(*) AS frames
RETURN subject_id, predicate, object_id, from_s, to_s, frames
ORDER BY from_s, subject_id, predicate, object_id
LIMIT $limit
