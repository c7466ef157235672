// name: ingest/frames
// mode: write
// summary: Frames of a video.
// param video_id: STRING - the video
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - frames
MATCH (v:Video {id: $video_id})
UNWIND $rows AS row
MERGE (f:Frame {id: row.id})
SET f += row.properties
MERGE (v)-[:HAS_FRAME]->(f)
RETURN count(f) AS written
