// name: browser/paint
// mode: write
// summary: Give entities and their frame nodes a label for the colour of their box: the Browser's style knows labels only.
// param rows: LIST<MAP> - entity_id, label (Color1, Color2, ...: see style.grass)
UNWIND $rows AS row
MATCH (entity:Entity {id: row.entity_id})
SET entity:$(row.label)
WITH entity, row.label AS label
MATCH (entity)-[:APPEARS_AS]->(node:FrameNode)
SET node:$(label)
