// name: explore/dwell_by_area
// mode: read
// summary: How long each entity stays in which part of the picture, divided into columns and rows.
// param video_id: STRING - the video
// param columns: INTEGER - parts from left to right, such as 3
// param rows: INTEGER - parts from top to bottom, such as 3
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns column: INTEGER - part from the left, from 1
// returns row: INTEGER - part from the top, from 1
// returns dwell_s: FLOAT - sampled frames there, times the seconds between samples
// returns share: FLOAT - of all its frames with a box, 0..1
MATCH (v:Video {id: $video_id})
MATCH (e:Entity {videoId: v.id})-[:APPEARS_AS]->(n:FrameNode)
WHERE n.xMin IS NOT NULL
WITH v, e, toInteger((n.xMin + n.xMax) / 2 * $columns / v.width) AS c,
     toInteger((n.yMin + n.yMax) / 2 * $rows / v.height) AS r
WITH v, e, CASE WHEN c < 0 THEN 1 WHEN c >= $columns THEN $columns ELSE c + 1 END AS column,
     CASE WHEN r < 0 THEN 1 WHEN r >= $rows THEN $rows ELSE r + 1 END AS row
WITH v, e, column, row, count(*) AS frames
WITH v, e, collect({column: column, row: row, frames: frames}) AS parts, sum(frames) AS total
UNWIND parts AS part
RETURN e.id AS entity_id, e.label AS label, part.column AS column, part.row AS row,
       part.frames * v.sampleInterval AS dwell_s, toFloat(part.frames) / total AS share
ORDER BY entity_id, dwell_s DESC, row, column
