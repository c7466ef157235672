// name: identities/write_appearances
// mode: write
// summary: Note how entities look to an appearance model.
// param rows: LIST<MAP> - entity_id and appearance, a list of numbers
// param model: STRING - the appearance model
// returns entities: INTEGER - how many
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
SET e.appearance = row.appearance, e.appearanceModel = $model
RETURN count(*) AS entities
