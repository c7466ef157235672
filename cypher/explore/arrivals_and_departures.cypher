// name: explore/arrivals_and_departures
// mode: read
// summary: Who comes into the picture and who leaves it, in order, and how many are there afterwards.
// param video_id: STRING - the video
// returns t: FLOAT - second
// returns what: STRING - comes or leaves
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns in_picture: INTEGER - entities in the picture from then on
MATCH (e:Entity {videoId: $video_id})
WITH collect(e) AS entities
UNWIND entities AS e
UNWIND [{t: e.tStart, what: 'comes'}, {t: e.tEnd, what: 'leaves'}] AS moment
RETURN moment.t AS t, moment.what AS what, e.id AS entity_id, e.label AS label,
       size([o IN entities WHERE o.tStart <= moment.t AND o.tEnd > moment.t]) AS in_picture
ORDER BY t, what, entity_id
