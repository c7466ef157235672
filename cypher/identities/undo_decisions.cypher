// name: identities/undo_decisions
// mode: write
// summary: Take decisions back; their records stay.
// param operation: INTEGER - what was decided together
// param undone_by: STRING - who
// param why: STRING - the reason
MATCH (d:Decision {operation: $operation})
SET d.undoneBy = $undone_by, d.undoneAt = datetime(), d.undoneWhy = $why
