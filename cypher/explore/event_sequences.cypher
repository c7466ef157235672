// name: explore/event_sequences
// mode: read
// summary: A, then B within some seconds: pairs of events of a video by words in their descriptions.
// param video_id: STRING - the video
// param first: STRING - words of the first event, upper and lower case aside
// param then: STRING - words of the second
// param within_s: FLOAT - seconds from the start of the first to the start of the second, at most
// param same_entity: BOOLEAN - true when one entity must do both
// param limit: INTEGER - how many at most
// returns first_s: FLOAT - start of the first
// returns first_entity_id: STRING - who
// returns first_event: STRING - what happens
// returns after_s: FLOAT - seconds until the second starts
// returns second_entity_id: STRING - who
// returns second_event: STRING - what happens
// returns event_ids: LIST<STRING> - the two events
MATCH (z:Event {videoId: $video_id})
WHERE toLower(z.description) CONTAINS toLower($first) OR toLower(z.description) CONTAINS toLower($then)
WITH z ORDER BY z.tStart, z.id
WITH collect(z) AS events
UNWIND [z IN events WHERE toLower(z.description) CONTAINS toLower($first)] AS a
UNWIND [z IN events WHERE toLower(z.description) CONTAINS toLower($then)] AS b
WITH a, b, b.tStart - a.tStart AS after_s
WHERE after_s > 0 AND after_s <= $within_s AND (NOT $same_entity OR a.entityId = b.entityId)
RETURN a.tStart AS first_s, a.entityId AS first_entity_id, a.description AS first_event, after_s,
       b.entityId AS second_entity_id, b.description AS second_event, [a.id, b.id] AS event_ids
ORDER BY first_s, after_s, event_ids
LIMIT $limit
