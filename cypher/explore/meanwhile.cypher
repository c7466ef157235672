// name: explore/meanwhile
// mode: read
// summary: What else happens during an event.
// param event_id: STRING - the event
// param limit: INTEGER - how many at most
// returns start_s: FLOAT - start
// returns end_s: FLOAT - end, exclusive
// returns overlap_s: FLOAT - seconds that both last
// returns entity_id: STRING - who
// returns event: STRING - what happens
// returns event_id: STRING - the event
MATCH (z:Event {id: $event_id})
MATCH (o:Event {videoId: z.videoId})
WHERE o.id <> z.id AND o.tStart < z.tEnd AND o.tEnd > z.tStart
WITH o, CASE WHEN o.tStart > z.tStart THEN o.tStart ELSE z.tStart END AS start_s,
     CASE WHEN o.tEnd < z.tEnd THEN o.tEnd ELSE z.tEnd END AS end_s
RETURN o.tStart AS start_s, o.tEnd AS end_s, end_s - start_s AS overlap_s, o.entityId AS entity_id,
       o.description AS event, o.id AS event_id
ORDER BY overlap_s DESC, event_id
LIMIT $limit
