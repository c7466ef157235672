// name: reasoning/extract_temporal_part
// mode: read
// summary: Frames of a third, half or quarter of a video, spread evenly, with the bounds of that part.
// param video_id: STRING - the video
// param target_part: STRING - beginning, middle or end, which are thirds; first half, second half, first quarter, last quarter
// param frames: INTEGER - at most this many
// returns part_start_s: FLOAT - start of the part, seconds
// returns part_end_s: FLOAT - end of the part, seconds, half-open
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the frame's description
// returns entity_ids: LIST<STRING> - the entities in it
MATCH (v:Video {id: $video_id})
WITH v, CASE $target_part
  WHEN 'beginning' THEN [0.0, 1.0 / 3]
  WHEN 'middle' THEN [1.0 / 3, 2.0 / 3]
  WHEN 'first half' THEN [0.0, 0.5]
  WHEN 'second half' THEN [0.5, 1.0]
  WHEN 'first quarter' THEN [0.0, 0.25]
  WHEN 'last quarter' THEN [0.75, 1.0]
  ELSE [2.0 / 3, 1.0]
END AS shares
WITH v, v.duration * shares[0] AS part_start_s,
     CASE shares[1] WHEN 1.0 THEN v.duration + 0.001 ELSE v.duration * shares[1] END AS part_end_s
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
