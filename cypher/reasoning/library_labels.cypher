// name: reasoning/library_labels
// mode: read
// summary: The different labels of all entities in complete videos, of each its first build.
// returns label: STRING - a label
MATCH (v:Video {status: 'ready'})
WHERE NOT EXISTS {
  MATCH (d:Video {status: 'ready'})
  WHERE d.id STARTS WITH split(v.id, '~')[0] AND d.id < v.id AND d.contentHash = v.contentHash
}
MATCH (v)-[:HAS_ENTITY]->(e)
RETURN DISTINCT e.label AS label
ORDER BY label
