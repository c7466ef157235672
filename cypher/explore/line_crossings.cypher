// name: explore/line_crossings
// mode: read
// summary: Who crosses a line of the picture, when and which way, by the middle of the tracked boxes.
// param video_id: STRING - the video
// param x1: FLOAT - the line's start, pixels from the left
// param y1: FLOAT - pixels from the top
// param x2: FLOAT - the line's end
// param y2: FLOAT - likewise
// returns t: FLOAT - second of the crossing, between two tracked boxes
// returns entity_id: STRING - who
// returns label: STRING - what it is
// returns direction: STRING - to the left or to the right hand of somebody who looks from start to end
MATCH (e:Entity {videoId: $video_id})
UNWIND range(1, size(e.trackT) - 1) AS i
WITH e, e.trackT[i - 1] AS t0, e.trackT[i] AS t1,
     (e.trackBoxes[4 * i - 4] + e.trackBoxes[4 * i - 2]) / 2 AS px,
     (e.trackBoxes[4 * i - 3] + e.trackBoxes[4 * i - 1]) / 2 AS py,
     (e.trackBoxes[4 * i] + e.trackBoxes[4 * i + 2]) / 2 AS qx,
     (e.trackBoxes[4 * i + 1] + e.trackBoxes[4 * i + 3]) / 2 AS qy
WITH e, t0, t1,
     ($x2 - $x1) * (py - $y1) - ($y2 - $y1) * (px - $x1) AS before,
     ($x2 - $x1) * (qy - $y1) - ($y2 - $y1) * (qx - $x1) AS after,
     (qx - px) * ($y1 - py) - (qy - py) * ($x1 - px) AS start_side,
     (qx - px) * ($y2 - py) - (qy - py) * ($x2 - px) AS end_side
WHERE ((before < 0 AND after >= 0) OR (before >= 0 AND after < 0)) AND start_side * end_side <= 0
RETURN t0 + (t1 - t0) * before / (before - after) AS t, e.id AS entity_id, e.label AS label,
       CASE WHEN after >= 0 THEN 'right' ELSE 'left' END AS direction
ORDER BY t, entity_id
