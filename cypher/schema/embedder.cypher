// name: schema/embedder
// mode: read
// summary: The embedder that made the vectors of this graph.
// returns name: STRING - its reference
// returns dimensions: INTEGER - length of its vectors
// returns status: STRING - 'ready', or 'reembedding' while vectors are being replaced
// returns cursor_label: STRING | NULL - label being re-embedded
// returns cursor_id: STRING | NULL - last node that was re-embedded
MATCH (e:Embedder {id: 'current'})
RETURN e.name AS name, e.dimensions AS dimensions, e.status AS status, e.cursorLabel AS cursor_label, e.cursorId AS cursor_id
