// name: reasoning/told
// mode: read
// summary: Everything that people or models have said of a video, frame by frame; nothing of a video whose sentences are measured.
// param video_id: STRING - the video
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns labels: LIST<STRING> - what is in the frame, each once
// returns sentences: LIST<STRING> - the sentences of its frame nodes, each once
CALL () {
  MATCH (m:FrameNode {videoId: $video_id})
  WITH m LIMIT 200
  RETURN sum(CASE m.source WHEN 'geometry' THEN 1 ELSE 0 END) * 2 < count(*) AS told
}
WITH told
WHERE told
MATCH (n:FrameNode {videoId: $video_id})
WITH n.frameIndex AS frame_index, min(n.t) AS t, collect(DISTINCT n.label) AS labels,
     collect(DISTINCT n.description) AS sentences
RETURN frame_index, t, labels, sentences
ORDER BY frame_index
