// name: reasoning/library_entities
// mode: read
// summary: For each video how many identities carry one of some labels, with the most seen entity; fullest first.
// param labels: LIST<STRING> - the labels
// param k: INTEGER - how many videos
// returns videoId: STRING - the video
// returns title: STRING - its title
// returns identities: INTEGER - different identities with such a label
// returns entityId: STRING - the entity that most frames show
// returns label: STRING - its label
// returns tStart: FLOAT - any of them first seen, seconds
// returns tEnd: FLOAT - any of them last seen, seconds
// returns frameNodes: INTEGER - frames that show any of them
MATCH (e:Entity)
WHERE e.label IN $labels
WITH e, COUNT { (e)-[:APPEARS_AS]->() } AS frames
ORDER BY frames DESC, e.id
WITH e.videoId AS videoId, collect(e) AS found, min(e.tStart) AS tStart, max(e.tEnd) AS tEnd,
     sum(frames) AS frameNodes, count(DISTINCT coalesce(e.identityId, e.id)) AS identities
MATCH (v:Video {id: videoId})
RETURN videoId, v.title AS title, identities, found[0].id AS entityId, found[0].label AS label,
       tStart, tEnd, frameNodes
ORDER BY frameNodes DESC, videoId
LIMIT $k
