// name: library/counts
// mode: read
// summary: How much one video holds.
// param video_id: STRING - the video
// returns identities: INTEGER - entities, those joined by an accepted or automatic link counted once
// returns relations: INTEGER - relations between entities of one frame
// returns events: INTEGER - events
// returns links: INTEGER - scored links between entities, rejected ones too
CALL () {
  MATCH (e:Entity {videoId: $video_id})
  RETURN count(DISTINCT e.identityId) AS identities, sum(COUNT { (e)-[:SAME_AS]->(:Entity) }) AS links
}
CALL () {
  MATCH (n:FrameNode {videoId: $video_id})
  RETURN sum(COUNT { (n)-[:REL]->() }) AS relations
}
CALL () {
  MATCH (z:Event {videoId: $video_id})
  RETURN count(z) AS events
}
RETURN identities, relations, events, links
