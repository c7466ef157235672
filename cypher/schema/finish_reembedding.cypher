// name: schema/finish_reembedding
// mode: write
// summary: Every vector is new: the graph is ready, and every video says so.
// param name: STRING - the new embedder
MATCH (e:Embedder {id: 'current'})
SET e.status = 'ready', e.cursorLabel = null, e.cursorId = null
WITH e
MATCH (v:Video)
SET v.embedder = $name, v.revision = v.revision + 1
