// name: reasoning/get_global_context
// mode: read
// summary: Frames spread evenly over spans of a video.
// param video_id: STRING - the video
// param spans: LIST<LIST<FLOAT>> - each a start and an end in seconds, half-open
// param frames: INTEGER - at most this many of each span
// returns span: INTEGER - 0-based position of the span
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns description: STRING - the frame's description
// returns entity_ids: LIST<STRING> - the entities in it
UNWIND range(0, size($spans) - 1) AS span
CALL (span) {
  MATCH (f:Frame {videoId: $video_id})
  WHERE f.t >= $spans[span][0] AND f.t < $spans[span][1]
  WITH f ORDER BY f.index
  WITH collect(f) AS found
  WITH found, CASE WHEN size(found) < $frames THEN size(found) ELSE $frames END AS m
  UNWIND range(0, m - 1) AS i
  RETURN found[toInteger((i + 0.5) * size(found) / m)] AS f
}
RETURN span, f.index AS frame_index, f.t AS t, f.description AS description,
       COLLECT { MATCH (f)-[:CONTAINS]->(n:FrameNode) RETURN n.entityId ORDER BY n.entityId } AS entity_ids
ORDER BY span, frame_index
