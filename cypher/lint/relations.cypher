// name: lint/relations
// mode: read
// summary: The relations of a video that were told and not measured, with the boxes of both.
// param video_id: STRING - the video
// returns subject_id: STRING - entity
// returns predicate: STRING - the relation
// returns object_id: STRING - the other entity
// returns source: STRING - model or annotation
// returns frame_index: INTEGER - the frame
// returns t: FLOAT - second
// returns subject_box: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns object_box: LIST<FLOAT> - likewise
MATCH (a:FrameNode {videoId: $video_id})-[r:REL]->(b:FrameNode)
WHERE r.source <> 'geometry' AND a.xMin IS NOT NULL AND b.xMin IS NOT NULL
RETURN a.entityId AS subject_id, r.predicate AS predicate, b.entityId AS object_id, r.source AS source,
       a.frameIndex AS frame_index, a.t AS t, [a.xMin, a.yMin, a.xMax, a.yMax] AS subject_box,
       [b.xMin, b.yMin, b.xMax, b.yMax] AS object_box
ORDER BY subject_id, object_id, predicate, source, frame_index
