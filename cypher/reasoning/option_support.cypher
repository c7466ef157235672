// name: reasoning/option_support
// mode: read
// summary: How near the sentences of the evidence come to each answer option.
// param node_ids: LIST<STRING> - frame nodes of the evidence
// param event_ids: LIST<STRING> - events of the evidence
// param embeddings: LIST<LIST<FLOAT>> - one embedding for each option
// returns option: INTEGER - 0-based position of the option
// returns score: FLOAT - best cosine similarity of any sentence, 0..1
UNWIND range(0, size($embeddings) - 1) AS option
CALL (option) {
  UNWIND $node_ids AS wanted
  MATCH (n:FrameNode {id: wanted})
  WHERE n.embedding IS NOT NULL
  RETURN vector.similarity.cosine(n.embedding, $embeddings[option]) AS score
  UNION ALL
  UNWIND $event_ids AS wanted
  MATCH (z:Event {id: wanted})
  WHERE z.embedding IS NOT NULL
  RETURN vector.similarity.cosine(z.embedding, $embeddings[option]) AS score
}
RETURN option, max(score) AS score
ORDER BY option
