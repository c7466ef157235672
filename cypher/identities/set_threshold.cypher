// name: identities/set_threshold
// mode: write
// summary: Set the score from which on an automatic link is used.
// param threshold: FLOAT - 0..1
// param decided_by: STRING - who
MERGE (r:IdentityRule {id: 'current'})
SET r.threshold = $threshold, r.decidedBy = $decided_by, r.decidedAt = datetime()
