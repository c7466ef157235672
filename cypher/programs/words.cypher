// name: programs/words
// mode: read
// summary: The videos, labels and predicates that the graph knows, for whoever writes a query.
// param limit: INTEGER - how many at most of each
// returns kind: STRING - video, label or predicate
// returns name: STRING - the id of a video, a label or a predicate
// returns title: STRING - of a video; empty for the rest
CALL () {
  MATCH (v:Video {status: 'ready'}) RETURN 'video' AS kind, v.id AS name, v.title AS title ORDER BY title, name LIMIT $limit
  UNION ALL
  MATCH (e:Entity) WITH DISTINCT e.label AS name RETURN 'label' AS kind, name, '' AS title ORDER BY name LIMIT $limit
  UNION ALL
  MATCH (:FrameNode)-[r:REL]->() WITH r.predicate AS name LIMIT 100000
  WITH DISTINCT name RETURN 'predicate' AS kind, name, '' AS title ORDER BY name LIMIT $limit
}
RETURN kind, name, title
ORDER BY kind, title, name
