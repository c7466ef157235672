// name: bundle/links
// mode: write
// summary: Links between entities from a bundle, where both are there; a link that is there keeps its decision.
// param rows: LIST<MAP> - earlier_id, later_id, properties
UNWIND $rows AS row
MATCH (a:Entity {id: row.earlier_id})
MATCH (b:Entity {id: row.later_id})
MERGE (a)-[s:SAME_AS]->(b)
ON CREATE SET s += row.properties
