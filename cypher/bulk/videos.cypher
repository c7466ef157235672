// name: bulk/videos
// mode: write
// summary: Videos that were imported from files get their properties, and are complete.
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - videos
UNWIND $rows AS row
MATCH (v:Video {id: row.id})
SET v += row.properties
SET v.status = 'ready', v.revision = 1, v.createdAt = coalesce(v.createdAt, datetime())
RETURN count(v) AS written
