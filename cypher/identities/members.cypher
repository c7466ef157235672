// name: identities/members
// mode: read
// summary: All entities of some identities.
// param identity_ids: LIST<STRING> - the identities
// returns identity_id: STRING - the identity
// returns entity_id: STRING - an entity of it
// returns video_id: STRING - its video
MATCH (e:Entity)
WHERE e.identityId IN $identity_ids
RETURN e.identityId AS identity_id, e.id AS entity_id, e.videoId AS video_id
ORDER BY identity_id, entity_id
