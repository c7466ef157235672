// name: ingest/entities
// mode: write
// summary: Entities of a video.
// param video_id: STRING - the video
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - entities
MATCH (v:Video {id: $video_id})
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET e.identityId = row.id
SET e += row.properties
MERGE (v)-[:HAS_ENTITY]->(e)
RETURN count(e) AS written
