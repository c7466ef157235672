// name: explore/identity_over_videos
// mode: read
// summary: One identity wherever it is seen: its stays in every video, in order.
// param identity_id: STRING - the identity: the smallest id of its entities
// returns title: STRING - title of the video
// returns video_id: STRING - the video
// returns entity_id: STRING - the entity there
// returns label: STRING - what it is
// returns from_s: FLOAT - start of the stay
// returns to_s: FLOAT - end of the stay
// returns events: INTEGER - how many events it has there
MATCH (e:Entity {identityId: $identity_id})
MATCH (v:Video {id: e.videoId})
RETURN v.title AS title, v.id AS video_id, e.id AS entity_id, e.label AS label, e.tStart AS from_s, e.tEnd AS to_s,
       COUNT { (e)-[:HAS_EVENT]->() } AS events
ORDER BY title, video_id, from_s, entity_id
