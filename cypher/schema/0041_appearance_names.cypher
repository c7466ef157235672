// name: schema/0041_appearance_names
// mode: write
// summary: Make the names of what appearance models leave known, as 0022_names does with those before it.
// returns names: INTEGER - how many names
UNWIND ['appearance', 'appearanceModel'] AS property
CALL db.createProperty(property)
RETURN count(*) AS names
