// name: reasoning/entities
// mode: read
// summary: The entities of a video with their identities, in order of appearance.
// param videoId: STRING - the video
// returns entityId: STRING - the entity
// returns identityId: STRING - the identity it belongs to
// returns trackId: INTEGER - number within the video
// returns label: STRING - what it is
// returns description: STRING - what is known of it
// returns tStart: FLOAT - first seen, seconds
// returns tEnd: FLOAT - last seen, seconds
// returns frameNodes: INTEGER - in how many sampled frames it is
MATCH (e:Entity {videoId: $videoId})
RETURN e.id AS entityId, coalesce(e.identityId, e.id) AS identityId, e.trackId AS trackId, e.label AS label,
       e.description AS description, e.tStart AS tStart, e.tEnd AS tEnd,
       COUNT { (e)-[:APPEARS_AS]->() } AS frameNodes
ORDER BY tStart, trackId, entityId
