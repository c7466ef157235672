// name: schema/pending_indexes
// mode: read
// summary: Indexes that cannot be used yet.
// returns name: STRING - the index
// returns state: STRING - POPULATING or FAILED
SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE'
RETURN name, state
ORDER BY name
