// name: identities/entities
// mode: read
// summary: What is needed of some entities to decide about them; no row for one that is not there.
// param entity_ids: LIST<STRING> - the entities
// returns entity_id: STRING - the entity
// returns video_id: STRING - its video
// returns title: STRING - title of the video
// returns status: STRING - status of the video
// returns identity_id: STRING - its identity
// returns label: STRING - what it is
// returns given_name: STRING | NULL - the name that a person gave it
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns timestamps_s: LIST<FLOAT> - times of its track, seconds
// returns boxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
UNWIND $entity_ids AS wanted
MATCH (v:Video)-[:HAS_ENTITY]->(e:Entity {id: wanted})
RETURN e.id AS entity_id, v.id AS video_id, v.title AS title, v.status AS status, e.identityId AS identity_id,
       coalesce(e.originalLabel, e.label) AS label, e.name AS given_name, e.tStart AS start_s, e.tEnd AS end_s,
       e.trackT AS timestamps_s, e.trackBoxes AS boxes
ORDER BY entity_id
