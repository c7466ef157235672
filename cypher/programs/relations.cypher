// name: programs/relations
// mode: read
// summary: Relations as a table, frame by frame, of one video or of all that are complete, in order of time.
// param video_id: STRING | NULL - the video; null for all
// returns video_id: STRING - the video
// returns time_s: FLOAT - when, seconds
// returns subject_id: STRING - the entity of which it is said
// returns subject: STRING - its label
// returns predicate: STRING - the relation
// returns object_id: STRING - the other entity
// returns object: STRING - its label
// returns text: STRING - the relation as it was written
// returns source: STRING - geometry, model or annotation
// returns confidence: FLOAT | NULL - how sure it is, 0 to 1
MATCH (v:Video)-[:HAS_FRAME]->(:Frame)-[:CONTAINS]->(a:FrameNode)-[r:REL]->(b:FrameNode)
WHERE v.id = $video_id OR ($video_id IS NULL AND v.status = 'ready')
RETURN v.id AS video_id, a.t AS time_s, a.entityId AS subject_id, a.label AS subject, r.predicate AS predicate,
       b.entityId AS object_id, b.label AS object, r.text AS text, r.source AS source, r.confidence AS confidence
ORDER BY video_id, time_s, subject_id, object_id, predicate, source, text
