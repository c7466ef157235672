// name: corrections/records
// mode: read
// summary: The corrections that people made, oldest first: of the whole library or of a video.
// param video_id: STRING | NULL - only this video; null for all
// returns id: INTEGER - number of the correction
// returns video_id: STRING - the video
// returns target: STRING - entity or event
// returns target_id: STRING - the entity or event
// returns seen: STRING - what the entity was seen as, as JSON: label, times, boxes
// returns changes: STRING - what was corrected, as JSON
// returns event: STRING | NULL - source and time of the event, as JSON; null for an entity
// returns decided_by: STRING - who
// returns decided_at: STRING - when
// returns why: STRING - the reason; empty when none was given
// returns note: STRING | NULL - why it waits; null while it is applied
// returns undone_by: STRING | NULL - who took it back
// returns undone_at: STRING | NULL - when it was taken back
// returns undone_why: STRING | NULL - why it was taken back
MATCH (c:Correction)
WHERE $video_id IS NULL OR c.videoId = $video_id
RETURN c.id AS id, c.videoId AS video_id, c.target AS target, c.targetId AS target_id, c.seen AS seen,
       c.changes AS changes, c.event AS event, c.decidedBy AS decided_by, toString(c.decidedAt) AS decided_at,
       c.why AS why, c.note AS note, c.undoneBy AS undone_by, toString(c.undoneAt) AS undone_at,
       c.undoneWhy AS undone_why
ORDER BY id
