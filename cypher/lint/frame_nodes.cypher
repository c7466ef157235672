// name: lint/frame_nodes
// mode: read
// summary: The frame nodes of a video with their boxes and sentences.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns frame_index: INTEGER - the frame
// returns t: FLOAT - second
// returns label: STRING - what it is
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max; empty when unknown
// returns sentence: STRING | NULL - what is said of it
MATCH (n:FrameNode {videoId: $video_id})
RETURN n.entityId AS entity_id, n.frameIndex AS frame_index, n.t AS t, n.label AS label,
       CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box, n.description AS sentence
ORDER BY frame_index, entity_id
