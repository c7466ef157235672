// name: schema/await_indexes
// mode: read
// summary: Wait until every index is online.
// param timeout_s: INTEGER - seconds to wait at most
CALL db.awaitIndexes($timeout_s)
