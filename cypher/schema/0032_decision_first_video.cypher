// name: schema/0032_decision_first_video
// mode: schema
// summary: Decisions by the video of their first entity.
CREATE INDEX decision_first_video IF NOT EXISTS
FOR (n:Decision) ON (n.firstVideoId)
