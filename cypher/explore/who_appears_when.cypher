// name: explore/who_appears_when
// mode: read
// summary: Each identity of a video with its stays in the picture, in order of first appearance.
// param video_id: STRING - the video
// param label: STRING | NULL - only entities with this label; null for all
// returns identity_id: STRING - the identity
// returns label: STRING - what it is
// returns stays: LIST<MAP> - entity_id, from_s, to_s of each stay
// returns seen_s: FLOAT - seconds in the picture in all
MATCH (e:Entity {videoId: $video_id})
WHERE $label IS NULL OR e.label = $label
WITH e ORDER BY e.tStart, e.id
WITH e.identityId AS identity_id, collect(e) AS entities
RETURN identity_id, entities[0].label AS label,
       [e IN entities | {entity_id: e.id, from_s: e.tStart, to_s: e.tEnd}] AS stays,
       reduce(seen = 0.0, e IN entities | seen + e.tEnd - e.tStart) AS seen_s
ORDER BY entities[0].tStart, identity_id
