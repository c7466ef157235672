// name: explore/events_about
// mode: read
// summary: Events of the whole library by their words, best first; words in double quotes are a phrase.
// param words: STRING - a full-text query
// param limit: INTEGER - how many at most
// returns score: FLOAT - relevance, only to compare within this list
// returns title: STRING - title of the video
// returns start_s: FLOAT - start
// returns end_s: FLOAT - end, exclusive
// returns entity_id: STRING - who
// returns event: STRING - what happens
// returns event_id: STRING - the event
CALL db.index.fulltext.queryNodes('event_text', $words, {limit: $limit}) YIELD node AS z, score
MATCH (v:Video {id: z.videoId})
RETURN score, v.title AS title, z.tStart AS start_s, z.tEnd AS end_s, z.entityId AS entity_id, z.description AS event,
       z.id AS event_id
ORDER BY score DESC, event_id
