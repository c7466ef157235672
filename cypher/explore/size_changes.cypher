// name: explore/size_changes
// mode: read
// summary: Who comes nearer and who goes away: the area of the last box as a multiple of the first.
// param video_id: STRING - the video
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns first_s: FLOAT - first sampled frame with a box
// returns last_s: FLOAT - last one
// returns times_larger: FLOAT - above 1 it grew
MATCH (e:Entity {videoId: $video_id})-[:APPEARS_AS]->(n:FrameNode)
WHERE n.xMax > n.xMin AND n.yMax > n.yMin
WITH e, n ORDER BY n.t
WITH e, collect({t: n.t, area: (n.xMax - n.xMin) * (n.yMax - n.yMin)}) AS boxes
WHERE size(boxes) > 1
RETURN e.id AS entity_id, e.label AS label, boxes[0].t AS first_s, boxes[-1].t AS last_s,
       boxes[-1].area / boxes[0].area AS times_larger
ORDER BY times_larger DESC, entity_id
