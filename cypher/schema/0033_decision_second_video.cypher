// name: schema/0033_decision_second_video
// mode: schema
// summary: Decisions by the video of their second entity.
CREATE INDEX decision_second_video IF NOT EXISTS
FOR (n:Decision) ON (n.secondVideoId)
