// name: reasoning/extract_temporal_part
// mode: read
// summary: Frames of a third of a video, spread evenly, with the bounds of the third.
// param videoId: STRING - the video
// param targetPart: STRING - beginning, middle or end
// param frames: INTEGER - at most this many
// returns partStart: FLOAT - start of the third, seconds
// returns partEnd: FLOAT - end of the third, seconds, half-open
// returns frameIndex: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the frame's description
// returns entityIds: LIST<STRING> - the entities in it
MATCH (v:Video {id: $videoId})
WITH v, CASE $targetPart WHEN 'beginning' THEN 0 WHEN 'middle' THEN 1 ELSE 2 END AS part
WITH v, v.duration * part / 3.0 AS partStart,
     CASE part WHEN 2 THEN v.duration + 0.001 ELSE v.duration * (part + 1) / 3.0 END AS partEnd
CALL (v, partStart, partEnd) {
  MATCH (f:Frame {videoId: v.id})
  WHERE f.t >= partStart AND f.t < partEnd
  WITH f ORDER BY f.index
  WITH collect(f) AS found
  WITH found, CASE WHEN size(found) < $frames THEN size(found) ELSE $frames END AS m
  UNWIND range(0, m - 1) AS i
  RETURN found[toInteger((i + 0.5) * size(found) / m)] AS f
}
RETURN partStart, partEnd, f.index AS frameIndex, f.t AS t, f.description AS description,
       COLLECT { MATCH (f)-[:CONTAINS]->(n:FrameNode) RETURN n.entityId ORDER BY n.entityId } AS entityIds
ORDER BY frameIndex
