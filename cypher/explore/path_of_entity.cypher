// name: explore/path_of_entity
// mode: read
// summary: Where one entity is, sampled frame by sampled frame: the middle of its box, its size, how fast it moves.
// param entity_id: STRING - the entity
// returns t: FLOAT - second
// returns frame_index: INTEGER - frame
// returns x_px: FLOAT | NULL - middle of the box from the left
// returns y_px: FLOAT | NULL - from the top
// returns area_px: FLOAT | NULL - area of the box
// returns px_per_s: FLOAT | NULL - speed since the appearance before
// returns sentence: STRING - how it looks there
MATCH (n:FrameNode {entityId: $entity_id})
WHERE n.t IS NOT NULL
OPTIONAL MATCH (m:FrameNode)-[:SAME_AS]->(n)
WITH n, m, (n.xMin + n.xMax) / 2 AS x_px, (n.yMin + n.yMax) / 2 AS y_px
RETURN n.t AS t, n.frameIndex AS frame_index, x_px, y_px, (n.xMax - n.xMin) * (n.yMax - n.yMin) AS area_px,
       CASE WHEN n.t > m.t
            THEN sqrt((x_px - (m.xMin + m.xMax) / 2) ^ 2 + (y_px - (m.yMin + m.yMax) / 2) ^ 2) / (n.t - m.t)
       END AS px_per_s,
       n.description AS sentence
ORDER BY t, frame_index
