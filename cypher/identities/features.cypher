// name: identities/features
// mode: read
// summary: What entities can be compared by: label, look, life; of all complete videos or of some.
// param video_ids: LIST<STRING> | NULL - only entities of these videos; null for all
// returns entity_id: STRING - the entity
// returns identity_id: STRING - its identity
// returns video_id: STRING - its video
// returns title: STRING - title of the video
// returns label: STRING - what it is
// returns given_name: STRING | NULL - the name that a person gave it
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns look: LIST<INTEGER> | NULL - its colours by place; null when no picture was seen
// returns appearance: LIST<FLOAT> | NULL - how an appearance model sees it; null when none has
// returns appearance_model: STRING | NULL - that model
MATCH (v:Video {status: 'ready'})
WHERE $video_ids IS NULL OR v.id IN $video_ids
MATCH (v)-[:HAS_ENTITY]->(e:Entity)
RETURN e.id AS entity_id, e.identityId AS identity_id, v.id AS video_id, v.title AS title, e.label AS label,
       e.name AS given_name, e.tStart AS start_s, e.tEnd AS end_s, e.look AS look, e.appearance AS appearance,
       e.appearanceModel AS appearance_model
ORDER BY entity_id
