// name: explore/near_each_other
// mode: read
// summary: Who is in the picture within some seconds of whom: every pair of entities, the longest together first.
// param video_id: STRING - the video
// param within_s: FLOAT - seconds that may lie between their stays
// param limit: INTEGER - how many at most
// returns entity_id: STRING - one entity
// returns label: STRING - what it is
// returns other_id: STRING - the other
// returns other_label: STRING - what it is
// returns together_s: FLOAT - seconds that both are in the picture
// returns apart_s: FLOAT - seconds between their stays; 0 when they overlap
MATCH (e:Entity {videoId: $video_id})
WITH e ORDER BY e.id
WITH collect(e) AS entities
UNWIND range(0, size(entities) - 2) AS i
WITH entities[i] AS a, entities[i + 1..] AS others
UNWIND others AS b
WITH a, b, CASE WHEN a.tStart > b.tStart THEN a.tStart ELSE b.tStart END AS later_start,
     CASE WHEN a.tEnd < b.tEnd THEN a.tEnd ELSE b.tEnd END AS earlier_end
WHERE later_start - earlier_end <= $within_s
RETURN a.id AS entity_id, a.label AS label, b.id AS other_id, b.label AS other_label,
       CASE WHEN earlier_end > later_start THEN earlier_end - later_start ELSE 0.0 END AS together_s,
       CASE WHEN later_start > earlier_end THEN later_start - earlier_end ELSE 0.0 END AS apart_s
ORDER BY together_s DESC, apart_s, entity_id, other_id
LIMIT $limit
