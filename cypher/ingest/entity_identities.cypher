// name: ingest/entity_identities
// mode: read
// summary: Entities of a video with their identities.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns identity_id: STRING - its identity
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS entity_id, e.identityId AS identity_id
ORDER BY entity_id
