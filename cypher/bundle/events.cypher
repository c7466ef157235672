// name: bundle/events
// mode: read
// summary: Events for a bundle, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns properties: MAP - all properties but the id and the vector
// returns next: LIST<STRING> - the event after it
// returns times: LIST<STRING> - the names of those that are times
MATCH (n:Event)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, n {.*, id: null, embedding: null} AS properties, [(n)-[:NEXT]->(m:Event) | m.id] AS next,
       [name IN keys(n) WHERE valueType(n[name]) STARTS WITH 'ZONED' | name] AS times
ORDER BY id
LIMIT $limit
