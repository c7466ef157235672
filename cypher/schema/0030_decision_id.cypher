// name: schema/0030_decision_id
// mode: schema
// summary: One record of each decision about two entities.
CREATE CONSTRAINT decision_id IF NOT EXISTS
FOR (n:Decision) REQUIRE n.id IS UNIQUE
