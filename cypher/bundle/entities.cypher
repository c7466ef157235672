// name: bundle/entities
// mode: read
// summary: Entities for a bundle, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns properties: MAP - all properties but the id and the identity
// returns times: LIST<STRING> - the names of those that are times
MATCH (n:Entity)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, n {.*, id: null, identityId: null} AS properties,
       [name IN keys(n) WHERE valueType(n[name]) STARTS WITH 'ZONED' | name] AS times
ORDER BY id
LIMIT $limit
