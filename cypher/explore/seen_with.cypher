// name: explore/seen_with
// mode: read
// summary: Who is in the picture within some seconds of an entity: meetings and passers-by.
// param entity_id: STRING - the entity
// param within_s: FLOAT - seconds
// returns entity_id: STRING - the other
// returns label: STRING - what it is
// returns first_s: FLOAT - first such moment
// returns last_s: FLOAT - last such moment
// returns frames: INTEGER - in how many sampled frames
MATCH (a:FrameNode {entityId: $entity_id})
WHERE a.t IS NOT NULL
WITH a.videoId AS video_id, collect(a.t) AS times
MATCH (b:FrameNode {videoId: video_id})
WHERE any(t IN times WHERE abs(b.t - t) <= $within_s)
WITH b.entityId AS other_id, min(b.t) AS first_s, max(b.t) AS last_s, count(*) AS frames
WHERE other_id <> $entity_id
MATCH (e:Entity {id: other_id})
RETURN e.id AS entity_id, e.label AS label, first_s, last_s, frames
ORDER BY frames DESC, entity_id
