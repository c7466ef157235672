// name: lint/show_frame
// mode: read
// summary: What is said of a frame, and who is in it: shows sentences that name somebody absent.
// param frame_id: STRING - the frame
// returns t: FLOAT - second
// returns description: STRING | NULL - what is said of the frame
// returns entity_id: STRING | NULL - an entity in it; null when there is none
// returns label: STRING | NULL - what it is
// returns sentence: STRING | NULL - what is said of it
MATCH (f:Frame {id: $frame_id})
OPTIONAL MATCH (f)-[:CONTAINS]->(n:FrameNode)
RETURN f.t AS t, f.description AS description, n.entityId AS entity_id, n.label AS label, n.description AS sentence
ORDER BY entity_id
