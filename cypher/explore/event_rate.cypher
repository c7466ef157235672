// name: explore/event_rate
// mode: read
// summary: How much happens over time: stretches of equal length with the events that start in them.
// param video_id: STRING - the video
// param window_s: FLOAT - length of a stretch
// returns from_s: FLOAT - start of the stretch
// returns events: INTEGER - events that start in it
// returns entities: INTEGER - of how many entities
// returns sources: LIST<STRING> - geometry, model, annotation
MATCH (z:Event {videoId: $video_id})
WITH z ORDER BY z.source
RETURN toInteger(floor(z.tStart / $window_s)) * $window_s AS from_s, count(*) AS events,
       count(DISTINCT z.entityId) AS entities, collect(DISTINCT z.source) AS sources
ORDER BY from_s
