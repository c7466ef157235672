// name: schema/0001_schema_migration_version
// mode: schema
// summary: One node for each applied migration.
CREATE CONSTRAINT schema_migration_version IF NOT EXISTS
FOR (n:SchemaMigration) REQUIRE n.version IS UNIQUE
