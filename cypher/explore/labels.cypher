// name: explore/labels
// mode: read
// summary: What kinds of things a video shows: how many of each, how long, from when to when.
// param video_id: STRING - the video
// returns label: STRING - the kind
// returns identities: INTEGER - how many different ones
// returns entities: INTEGER - stays in the picture
// returns seen_s: FLOAT - seconds of all stays together
// returns first_s: FLOAT - first seen
// returns last_s: FLOAT - last seen
MATCH (e:Entity {videoId: $video_id})
RETURN e.label AS label, count(DISTINCT e.identityId) AS identities, count(*) AS entities,
       sum(e.tEnd - e.tStart) AS seen_s, min(e.tStart) AS first_s, max(e.tEnd) AS last_s
ORDER BY seen_s DESC, label
