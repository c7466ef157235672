// name: explore/contradictions
// mode: read
// summary: Where a model's relation and the boxes disagree: the opposite was measured, or what touches is far apart.
// param video_id: STRING - the video
// param touching: LIST<STRING> - predicates that mean contact, such as ['holding', 'riding', 'wearing']
// param farther_px: FLOAT - contact is doubted when the boxes are farther apart than this
// param limit: INTEGER - how many at most
// returns t: FLOAT - second
// returns subject_id: STRING - entity
// returns says: STRING - the model's relation
// returns object_id: STRING - the other entity
// returns measured: STRING - what speaks against it
// returns gap_px: FLOAT | NULL - pixels between the boxes
MATCH (a:FrameNode {videoId: $video_id})-[r:REL {source: 'model'}]->(b:FrameNode)
WITH a, r, b, {left_of: 'right_of', right_of: 'left_of', above: 'below', below: 'above', in_front_of: 'behind',
               behind: 'in_front_of', larger_than: 'smaller_than', smaller_than: 'larger_than'} AS opposites,
     CASE WHEN a.xMin > b.xMax THEN a.xMin - b.xMax WHEN b.xMin > a.xMax THEN b.xMin - a.xMax
          WHEN a.xMin IS NULL OR b.xMin IS NULL THEN null ELSE 0.0 END AS dx,
     CASE WHEN a.yMin > b.yMax THEN a.yMin - b.yMax WHEN b.yMin > a.yMax THEN b.yMin - a.yMax ELSE 0.0 END AS dy
WITH a, r, b, sqrt(dx * dx + dy * dy) AS gap_px,
     [(a)-[m:REL {source: 'geometry'}]->(b) WHERE m.predicate = opposites[r.predicate] | m.predicate] +
     [(a)<-[m:REL {source: 'geometry'}]-(b) WHERE m.predicate = r.predicate AND opposites[m.predicate] IS NOT NULL
      | opposites[m.predicate]] AS against
WITH a, r, b, gap_px, CASE WHEN against <> [] THEN against[0]
                           WHEN r.predicate IN $touching AND gap_px > $farther_px THEN 'far apart' END AS measured
WHERE measured IS NOT NULL
RETURN a.t AS t, a.entityId AS subject_id, r.predicate AS says, b.entityId AS object_id, measured, gap_px
ORDER BY t, subject_id, object_id, says
LIMIT $limit
