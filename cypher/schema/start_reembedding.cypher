// name: schema/start_reembedding
// mode: write
// summary: Replace the embedder of the graph: its vectors are out of date from now on.
// param name: STRING - the new embedder
// param dimensions: INTEGER - length of its vectors
MERGE (e:Embedder {id: 'current'})
SET e.name = $name, e.dimensions = $dimensions, e.status = 'reembedding', e.cursorLabel = 'FrameNode', e.cursorId = ''
