// name: identities/decisions
// mode: read
// summary: The decisions about identities, oldest first: of the whole library, or those that touch a video.
// param video_id: STRING | NULL - only decisions about an entity of this video; null for all
// returns id: STRING - the record
// returns operation: INTEGER - what was decided together has one number
// returns kind: STRING - accept, reject, merge, split or link
// returns verdict: STRING - accepted, rejected or auto
// returns first_id: STRING - one entity
// returns second_id: STRING - the other
// returns first_video: STRING - the video of the first
// returns second_video: STRING - the video of the second
// returns first_seen: STRING - what the first was seen as when it was decided, as JSON: label, times, boxes
// returns second_seen: STRING - the same of the second
// returns score: FLOAT - how alike the two were, 0..1
// returns method: STRING - how the score was made
// returns decided_by: STRING - who
// returns decided_at: STRING - when
// returns why: STRING - the reason; empty when none was given
// returns note: STRING | NULL - why the decision waits; null while it is applied
// returns undone_by: STRING | NULL - who took it back
// returns undone_at: STRING | NULL - when it was taken back
// returns undone_why: STRING | NULL - why it was taken back
CALL () {
  MATCH (d:Decision {firstVideoId: $video_id})
  RETURN d
  UNION
  MATCH (d:Decision {secondVideoId: $video_id})
  RETURN d
  UNION
  WITH $video_id AS video_id
  WHERE video_id IS NULL
  MATCH (d:Decision)
  RETURN d
}
RETURN d.id AS id, d.operation AS operation, d.kind AS kind, d.verdict AS verdict, d.firstId AS first_id,
       d.secondId AS second_id, d.firstVideoId AS first_video, d.secondVideoId AS second_video,
       d.firstSeen AS first_seen, d.secondSeen AS second_seen, d.score AS score, d.method AS method,
       d.decidedBy AS decided_by, toString(d.decidedAt) AS decided_at, d.why AS why, d.note AS note,
       d.undoneBy AS undone_by, toString(d.undoneAt) AS undone_at, d.undoneWhy AS undone_why
ORDER BY operation, first_id, second_id
