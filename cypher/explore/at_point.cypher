// name: explore/at_point
// mode: read
// summary: Who covers a point of the picture, and from when to when.
// param video_id: STRING - the video
// param x: FLOAT - pixels from the left
// param y: FLOAT - pixels from the top
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns first_s: FLOAT - first sampled frame
// returns last_s: FLOAT - last sampled frame
// returns frames: INTEGER - how many
MATCH (n:FrameNode {videoId: $video_id})
WHERE n.xMin <= $x AND n.xMax > $x AND n.yMin <= $y AND n.yMax > $y
RETURN n.entityId AS entity_id, collect(DISTINCT n.label)[0] AS label,
       min(n.t) AS first_s, max(n.t) AS last_s, count(*) AS frames
ORDER BY frames DESC, entity_id
