// name: explore/never_meet
// mode: read
// summary: Identities of a video that are never in the picture together, in any sampled frame.
// param video_id: STRING - the video
// param limit: INTEGER - how many pairs at most
// returns identity_id: STRING - one identity
// returns label: STRING - what it is
// returns other_id: STRING - the other
// returns other_label: STRING - what it is
// returns apart_s: FLOAT - seconds between their nearest appearances
MATCH (e:Entity {videoId: $video_id})-[:APPEARS_AS]->(n:FrameNode)
WITH e.identityId AS identity_id, e.label AS label, n.t AS t
ORDER BY t
WITH identity_id, collect(label)[0] AS label, collect(t) AS times
ORDER BY identity_id
WITH collect({id: identity_id, label: label, times: times}) AS identities
UNWIND range(0, size(identities) - 2) AS i
WITH identities[i] AS a, identities[i + 1..] AS others
UNWIND others AS b
WITH a, b
WHERE none(t IN a.times WHERE t IN b.times)
WITH a, b, reduce(least = null, t IN a.times | reduce(best = least, u IN b.times |
       CASE WHEN best IS NULL OR abs(t - u) < best THEN abs(t - u) ELSE best END)) AS apart_s
RETURN a.id AS identity_id, a.label AS label, b.id AS other_id, b.label AS other_label, apart_s
ORDER BY apart_s, identity_id, other_id
LIMIT $limit
