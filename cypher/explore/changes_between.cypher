// name: explore/changes_between
// mode: read
// summary: What differs between two moments: who came, who went, who moved, and which attributes changed.
// param video_id: STRING - the video
// param from_s: FLOAT - the one moment; the sampled frame at or before it
// param to_s: FLOAT - the other; likewise
// returns change: STRING - came, went, moved or stayed
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns moved_px: FLOAT | NULL - how far the middle of its box moved; null when it is in one of the frames only
// returns gained: LIST<STRING> - attributes that are new
// returns lost: LIST<STRING> - attributes that are gone
MATCH (f:Frame {videoId: $video_id})
WHERE f.t <= $from_s
WITH f ORDER BY f.t DESC LIMIT 1
MATCH (g:Frame {videoId: $video_id})
WHERE g.t <= $to_s
WITH f, g ORDER BY g.t DESC LIMIT 1
WITH [(f)-[:CONTAINS]->(n:FrameNode) | n] AS before, [(g)-[:CONTAINS]->(n:FrameNode) | n] AS after
UNWIND before + after AS one
WITH DISTINCT one.entityId AS entity_id, before, after
WITH entity_id, [n IN before WHERE n.entityId = entity_id][0] AS a, [n IN after WHERE n.entityId = entity_id][0] AS b
WITH entity_id, a, b, (b.xMin + b.xMax - a.xMin - a.xMax) / 2 AS dx, (b.yMin + b.yMax - a.yMin - a.yMax) / 2 AS dy
WITH entity_id, a, b, sqrt(dx * dx + dy * dy) AS moved_px
RETURN CASE WHEN a IS NULL THEN 'came' WHEN b IS NULL THEN 'went' WHEN moved_px >= 1 THEN 'moved' ELSE 'stayed' END
         AS change,
       entity_id, coalesce(b.label, a.label) AS label, moved_px,
       [x IN coalesce(b.attributes, []) WHERE NOT x IN coalesce(a.attributes, [])] AS gained,
       [x IN coalesce(a.attributes, []) WHERE NOT x IN coalesce(b.attributes, [])] AS lost
ORDER BY change, entity_id
