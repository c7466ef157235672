// name: explore/doubtful_entities
// mode: read
// summary: Entities that are seen in few frames or with little confidence: the first to check.
// param video_id: STRING - the video
// param fewer_frames: INTEGER - seen in fewer sampled frames than this
// param below_confidence: FLOAT - or with a mean confidence below this
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns frames: INTEGER - sampled frames with it; 0 when it was only tracked
// returns confidence: FLOAT | NULL - mean over these
// returns from_s: FLOAT - start
// returns to_s: FLOAT - end
MATCH (e:Entity {videoId: $video_id})
OPTIONAL MATCH (e)-[:APPEARS_AS]->(n:FrameNode)
WITH e, count(n) AS frames, avg(n.confidence) AS confidence
WHERE frames < $fewer_frames OR confidence < $below_confidence
RETURN e.id AS entity_id, e.label AS label, frames, confidence, e.tStart AS from_s, e.tEnd AS to_s
ORDER BY frames, confidence, entity_id
