// name: explore/first_and_last_sight
// mode: read
// summary: The first and the last sampled frame of each entity of a video, with its sentences there.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns first_s: FLOAT - second of the first
// returns first_sentence: STRING - how it looks there
// returns last_s: FLOAT - second of the last
// returns last_sentence: STRING - how it looks there
MATCH (e:Entity {videoId: $video_id})-[:APPEARS_AS]->(n:FrameNode)
WITH e, n ORDER BY n.t
WITH e, collect({t: n.t, sentence: n.description}) AS seen
RETURN e.id AS entity_id, e.label AS label, seen[0].t AS first_s, seen[0].sentence AS first_sentence,
       seen[-1].t AS last_s, seen[-1].sentence AS last_sentence
ORDER BY first_s, entity_id
