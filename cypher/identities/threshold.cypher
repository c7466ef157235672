// name: identities/threshold
// mode: read
// summary: The score from which on an automatic link is used; no row while none was set.
// returns threshold: FLOAT - 0..1
MATCH (r:IdentityRule {id: 'current'})
RETURN r.threshold AS threshold
