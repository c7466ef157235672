// name: identities/write_links
// mode: write
// summary: Links between entities as decisions say; a link that is there keeps its score.
// param rows: LIST<MAP> - earlier_id, later_id, status, decided_by and why (null for none), decided_at (null for now), created (score, method, scope, operation)
// returns written: INTEGER - links
UNWIND $rows AS row
MATCH (a:Entity {id: row.earlier_id})
MATCH (b:Entity {id: row.later_id})
MERGE (a)-[s:SAME_AS]->(b)
ON CREATE SET s += row.created, s.createdAt = datetime()
SET s.status = row.status, s.decidedBy = row.decided_by,
    s.decidedAt = CASE WHEN row.decided_by IS NULL THEN null ELSE coalesce(datetime(row.decided_at), datetime()) END, s.why = row.why
RETURN count(s) AS written
