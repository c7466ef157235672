// name: reasoning/option_support
// mode: read
// summary: How near the sentences of the evidence come to each answer option.
// param nodeIds: LIST<STRING> - frame nodes of the evidence
// param eventIds: LIST<STRING> - events of the evidence
// param embeddings: LIST<LIST<FLOAT>> - one embedding for each option
// returns option: INTEGER - 0-based position of the option
// returns score: FLOAT - best cosine similarity of any sentence, 0..1
UNWIND range(0, size($embeddings) - 1) AS option
CALL (option) {
  UNWIND $nodeIds AS wanted
  MATCH (n:FrameNode {id: wanted})
  WHERE n.embedding IS NOT NULL
  RETURN vector.similarity.cosine(n.embedding, $embeddings[option]) AS score
  UNION ALL
  UNWIND $eventIds AS wanted
  MATCH (z:Event {id: wanted})
  WHERE z.embedding IS NOT NULL
  RETURN vector.similarity.cosine(z.embedding, $embeddings[option]) AS score
}
RETURN option, max(score) AS score
ORDER BY option
