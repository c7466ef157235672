// name: report/frame_nodes
// mode: read
// summary: Who is where in each sampled frame of a video, with the sentence said of it.
// param video_id: STRING - the video
// returns frame_index: INTEGER - frame
// returns entity_id: STRING - entity
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max in displayed pixels; empty when no box is known
// returns description: STRING - the sentence
MATCH (n:FrameNode {videoId: $video_id})
RETURN n.frameIndex AS frame_index, n.entityId AS entity_id,
       CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       n.description AS description
ORDER BY frame_index, entity_id
