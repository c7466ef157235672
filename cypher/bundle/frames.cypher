// name: bundle/frames
// mode: read
// summary: Frames for a bundle, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns properties: MAP - all properties but the id
// returns next: LIST<STRING> - the frame after it
MATCH (n:Frame)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, n {.*, id: null} AS properties, [(n)-[:NEXT]->(m:Frame) | m.id] AS next
ORDER BY id
LIMIT $limit
