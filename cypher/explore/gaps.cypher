// name: explore/gaps
// mode: read
// summary: When each identity is out of the picture between two of its appearances.
// param video_id: STRING - the video
// param longer_than_s: FLOAT - only gaps longer than this
// returns identity_id: STRING - the identity
// returns label: STRING - what it is
// returns from_s: FLOAT - last seen
// returns to_s: FLOAT - seen again
// returns gap_s: FLOAT - seconds out of the picture
MATCH (e:Entity {videoId: $video_id})
WITH e ORDER BY e.tStart, e.tEnd, e.id
WITH e.identityId AS identity_id, collect(e) AS stays
UNWIND range(1, size(stays) - 1) AS i
WITH identity_id, stays[i] AS next, reduce(end = 0.0, e IN stays[..i] | CASE WHEN e.tEnd > end THEN e.tEnd ELSE end END) AS from_s
WHERE next.tStart - from_s > $longer_than_s
RETURN identity_id, next.label AS label, from_s, next.tStart AS to_s, next.tStart - from_s AS gap_s
ORDER BY from_s, identity_id
