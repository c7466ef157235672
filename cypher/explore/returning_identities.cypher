// name: explore/returning_identities
// mode: read
// summary: Identities of a video that are more than one entity: they come back here, or are seen in other videos too.
// param video_id: STRING - the video
// returns identity_id: STRING - the identity
// returns label: STRING - what it is here
// returns stays_here: INTEGER - entities of it in this video
// returns elsewhere: LIST<STRING> - ids of the other videos
// returns weakest_score: FLOAT | NULL - score of the least certain link that is in use
MATCH (e:Entity {videoId: $video_id})
WITH e ORDER BY e.tStart, e.id
WITH e.identityId AS identity_id, collect(e.label)[0] AS label, count(*) AS stays_here
MATCH (o:Entity {identityId: identity_id})
OPTIONAL MATCH (o)-[s:SAME_AS]-(:Entity)
WHERE s.status IN ['auto', 'accepted']
WITH identity_id, label, stays_here, min(s.score) AS weakest_score, collect(DISTINCT o.videoId) AS videos
WHERE stays_here > 1 OR size(videos) > 1
UNWIND videos AS video
WITH identity_id, label, stays_here, weakest_score, video ORDER BY video
RETURN identity_id, label, stays_here, [v IN collect(video) WHERE v <> $video_id] AS elsewhere, weakest_score
ORDER BY stays_here DESC, identity_id
