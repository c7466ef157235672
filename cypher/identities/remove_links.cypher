// name: identities/remove_links
// mode: write
// summary: Remove links that a decision made and nothing holds any more.
// param rows: LIST<MAP> - earlier_id, later_id
UNWIND $rows AS row
MATCH (:Entity {id: row.earlier_id})-[s:SAME_AS]->(:Entity {id: row.later_id})
DELETE s
