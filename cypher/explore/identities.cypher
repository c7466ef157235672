// name: explore/identities
// mode: read
// summary: Which entities are taken for one identity and why, as a picture; rejected links are shown too.
// param video_id: STRING | NULL - only links of this video; null for the whole library
// param limit: INTEGER - how many links at most
// returns entity: NODE - one entity
// returns same_as: RELATIONSHIP - the link
// returns other: NODE - the other entity
// returns score: FLOAT - how alike, 0..1
// returns status: STRING - auto, accepted or rejected
CALL () {
  MATCH (:Entity {videoId: $video_id})-[same_as:SAME_AS]-(:Entity)
  RETURN same_as
  UNION
  WITH $video_id AS video_id
  WHERE video_id IS NULL
  MATCH (:Entity)-[same_as:SAME_AS]->(:Entity)
  RETURN same_as
}
WITH startNode(same_as) AS entity, same_as, endNode(same_as) AS other
RETURN entity, same_as, other, same_as.score AS score, same_as.status AS status
ORDER BY score DESC, entity.id, other.id
LIMIT $limit
