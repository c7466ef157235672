// name: schema/migrations
// mode: read
// summary: The migrations that were applied.
// returns version: INTEGER - number of the migration
// returns checksum: STRING - SHA-256 of its statement
MATCH (m:SchemaMigration)
RETURN m.version AS version, m.checksum AS checksum
ORDER BY version
