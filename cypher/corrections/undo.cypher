// name: corrections/undo
// mode: write
// summary: Take a correction back; its record stays.
// param id: INTEGER - number of the correction
// param undone_by: STRING - who
// param why: STRING - the reason
MATCH (c:Correction {id: $id})
SET c.undoneBy = $undone_by, c.undoneAt = datetime(), c.undoneWhy = $why
