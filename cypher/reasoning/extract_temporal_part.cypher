// name: reasoning/extract_temporal_part
// mode: read
// summary: Frames of a third of a video, spread evenly, with the bounds of the third.
// param video_id: STRING - the video
// param target_part: STRING - beginning, middle or end
// param frames: INTEGER - at most this many
// returns part_start_s: FLOAT - start of the third, seconds
// returns part_end_s: FLOAT - end of the third, seconds, half-open
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the frame's description
// returns entity_ids: LIST<STRING> - the entities in it
MATCH (v:Video {id: $video_id})
WITH v, CASE $target_part WHEN 'beginning' THEN 0 WHEN 'middle' THEN 1 ELSE 2 END AS part
WITH v, v.duration * part / 3.0 AS part_start_s,
     CASE part WHEN 2 THEN v.duration + 0.001 ELSE v.duration * (part + 1) / 3.0 END AS part_end_s
CALL (v, part_start_s, part_end_s) {
  MATCH (f:Frame {videoId: v.id})
  WHERE f.t >= part_start_s AND f.t < part_end_s
  WITH f ORDER BY f.index
  WITH collect(f) AS found
  WITH found, CASE WHEN size(found) < $frames THEN size(found) ELSE $frames END AS m
  UNWIND range(0, m - 1) AS i
  RETURN found[toInteger((i + 0.5) * size(found) / m)] AS f
}
RETURN part_start_s, part_end_s, f.index AS frame_index, f.t AS t, f.description AS description,
       COLLECT { MATCH (f)-[:CONTAINS]->(n:FrameNode) RETURN n.entityId ORDER BY n.entityId } AS entity_ids
ORDER BY frame_index
