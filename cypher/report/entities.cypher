// name: report/entities
// mode: read
// summary: The entities of a video as a report shows them, in order of appearance.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns identity_id: STRING - the identity it belongs to
// returns track_id: INTEGER - number within the video
// returns label: STRING - what it is
// returns description: STRING - what is known of it
// returns color: STRING - of its boxes, #rrggbb
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns given_name: STRING | NULL - the name that a person gave it, or an entity of its identity here or in another video
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS entity_id, coalesce(e.identityId, e.id) AS identity_id, e.trackId AS track_id, e.label AS label,
       e.description AS description, e.color AS color, e.tStart AS start_s, e.tEnd AS end_s,
       coalesce(e.name, head(COLLECT {
         MATCH (o:Entity {identityId: e.identityId})
         WHERE o.name IS NOT NULL
         RETURN o.name ORDER BY o.id LIMIT 1
       })) AS given_name
ORDER BY start_s, track_id, entity_id
