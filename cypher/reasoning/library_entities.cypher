// name: reasoning/library_entities
// mode: read
// summary: For each complete video (its first build) which identities carry one of some labels, with the most seen entity; fullest first.
// param labels: LIST<STRING> - the labels
// param k: INTEGER - how many videos
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns identity_ids: LIST<STRING> - the different identities with such a label
// returns entity_id: STRING - the entity that most frames show
// returns label: STRING - its label
// returns start_s: FLOAT - any of them first seen, seconds
// returns end_s: FLOAT - any of them last seen, seconds
// returns frame_nodes: INTEGER - frames that show any of them
MATCH (e:Entity)
WHERE e.label IN $labels
WITH e, COUNT { (e)-[:APPEARS_AS]->() } AS frames
ORDER BY frames DESC, e.id
WITH e.videoId AS video_id, collect(e) AS found, min(e.tStart) AS start_s, max(e.tEnd) AS end_s,
     sum(frames) AS frame_nodes, collect(DISTINCT coalesce(e.identityId, e.id)) AS identity_ids
MATCH (v:Video {id: video_id, status: 'ready'})
WHERE NOT EXISTS {
  MATCH (d:Video {status: 'ready'})
  WHERE d.id STARTS WITH split(v.id, '~')[0] AND d.id < v.id AND d.contentHash = v.contentHash
}
RETURN video_id, v.title AS title, identity_ids, found[0].id AS entity_id, found[0].label AS label,
       start_s, end_s, frame_nodes
ORDER BY frame_nodes DESC, video_id
LIMIT $k
