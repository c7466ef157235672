// name: schema/0031_correction_id
// mode: schema
// summary: One record of each correction of an entity or event.
CREATE CONSTRAINT correction_id IF NOT EXISTS
FOR (n:Correction) REQUIRE n.id IS UNIQUE
