// name: schema/0025_cuts
// mode: write
// summary: Make the name of a video's cuts known, as 0022_names does with those before it.
CALL db.createProperty('cuts')
