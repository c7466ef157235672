// name: schema/record_migrations
// mode: write
// summary: Remember which migrations were applied.
// param rows: LIST<MAP> - version, name, checksum
// returns written: INTEGER - migrations
UNWIND $rows AS row
MERGE (m:SchemaMigration {version: row.version})
ON CREATE SET m.name = row.name, m.checksum = row.checksum, m.appliedAt = datetime()
RETURN count(m) AS written
