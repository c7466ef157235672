// name: explore/meetings
// mode: read
// summary: Which entities share frames, how many, and how near their boxes come; the most frames first.
// param video_id: STRING - the video
// param limit: INTEGER - how many at most
// returns entity_id: STRING - one entity
// returns label: STRING - what it is
// returns other_id: STRING - the other
// returns other_label: STRING - what it is
// returns frames: INTEGER - in how many sampled frames both are
// returns first_s: FLOAT - first such moment
// returns last_s: FLOAT - last such moment
// returns nearest_px: FLOAT | NULL - least gap between their boxes; 0 when they touch, null without boxes
// returns nearest_s: FLOAT | NULL - when that is
MATCH (f:Frame {videoId: $video_id})-[:CONTAINS]->(n:FrameNode)
WITH f, n ORDER BY n.entityId
WITH f, collect(n) AS nodes
UNWIND range(0, size(nodes) - 2) AS i
WITH f, nodes[i] AS a, nodes[i + 1..] AS others
UNWIND others AS b
WITH f, a, b,
     CASE WHEN a.xMin > b.xMax THEN a.xMin - b.xMax WHEN b.xMin > a.xMax THEN b.xMin - a.xMax
          WHEN a.xMin IS NULL OR b.xMin IS NULL THEN null ELSE 0.0 END AS dx,
     CASE WHEN a.yMin > b.yMax THEN a.yMin - b.yMax WHEN b.yMin > a.yMax THEN b.yMin - a.yMax ELSE 0.0 END AS dy
WITH a.entityId AS entity_id, a.label AS label, b.entityId AS other_id, b.label AS other_label, f.t AS t,
     sqrt(dx * dx + dy * dy) AS gap_px
ORDER BY gap_px, t
WITH entity_id, other_id, collect(label)[0] AS label, collect(other_label)[0] AS other_label, count(*) AS frames,
     min(t) AS first_s, max(t) AS last_s, collect(CASE WHEN gap_px IS NULL THEN null ELSE [gap_px, t] END)[0] AS nearest
RETURN entity_id, label, other_id, other_label, frames, first_s, last_s, nearest[0] AS nearest_px,
       nearest[1] AS nearest_s
ORDER BY frames DESC, entity_id, other_id
LIMIT $limit
