// name: ingest/decide_identity
// mode: write
// summary: Accept or reject a link between two entities.
// param earlier_id: STRING - where the link starts
// param later_id: STRING - where it ends
// param status: STRING - accepted or rejected
// param decided_by: STRING - who decides
MATCH (:Entity {id: $earlier_id})-[s:SAME_AS]->(:Entity {id: $later_id})
SET s.status = $status, s.decidedBy = $decided_by, s.decidedAt = datetime()
