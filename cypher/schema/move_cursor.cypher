// name: schema/move_cursor
// mode: write
// summary: Remember how far re-embedding has come; in the transaction that writes the vectors.
// param cursor_label: STRING - FrameNode or Event
// param cursor_id: STRING - last node that was re-embedded
MATCH (e:Embedder {id: 'current'})
SET e.cursorLabel = $cursor_label, e.cursorId = $cursor_id
