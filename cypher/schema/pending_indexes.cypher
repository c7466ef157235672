// name: schema/pending_indexes
// mode: read
// summary: Indexes that cannot be used yet.
// returns name: STRING - the index
// returns state: STRING - POPULATING or FAILED
// returns percent: FLOAT - how far it has come
SHOW INDEXES YIELD name, state, populationPercent WHERE state <> 'ONLINE'
RETURN name, state, populationPercent AS percent
ORDER BY name
