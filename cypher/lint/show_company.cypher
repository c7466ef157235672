// name: lint/show_company
// mode: read
// summary: What an event says, and who is in the picture while it lasts.
// param event_id: STRING - the event
// returns description: STRING | NULL - what happens
// returns start_s: FLOAT - from
// returns end_s: FLOAT - to, half-open
// returns entity_id: STRING - an entity that is there
// returns label: STRING - what it is
// returns seen_from_s: FLOAT - it is seen from
// returns seen_to_s: FLOAT - to
MATCH (z:Event {id: $event_id})
MATCH (e:Entity {videoId: z.videoId})
WHERE e.tStart < z.tEnd AND e.tEnd > z.tStart
RETURN z.description AS description, z.tStart AS start_s, z.tEnd AS end_s, e.id AS entity_id, e.label AS label,
       e.tStart AS seen_from_s, e.tEnd AS seen_to_s
ORDER BY seen_from_s, entity_id
