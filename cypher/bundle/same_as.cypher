// name: bundle/same_as
// mode: read
// summary: Chains of appearances for a bundle, with the frame nodes that they start at, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns records: LIST<MAP> - to, properties
MATCH (n:FrameNode)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, [(n)-[r:SAME_AS]->(m:FrameNode) | {to: m.id, properties: properties(r)}] AS records
ORDER BY id
LIMIT $limit
