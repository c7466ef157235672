// name: reasoning/library_named
// mode: read
// summary: For each complete video (its first build) the entities of the identity that a person gave a name; fullest first.
// param called: STRING - the name, in lower case
// param k: INTEGER - how many videos
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns identity_ids: LIST<STRING> - the different identities of that name
// returns entity_id: STRING - the entity that most frames show
// returns label: STRING - its label
// returns start_s: FLOAT - any of them first seen, seconds
// returns end_s: FLOAT - any of them last seen, seconds
// returns frame_nodes: INTEGER - frames that show any of them
MATCH (named:Entity)
WHERE named.name IS NOT NULL AND toLower(named.name) = $called
WITH collect(DISTINCT named.identityId) AS ids
MATCH (e:Entity)
WHERE e.identityId IN ids
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
