// name: bundle/sentences
// mode: read
// summary: The different sentences and event descriptions of a video.
// param video_id: STRING - the video
// returns text: STRING - the sentence
CALL () {
  MATCH (n:FrameNode {videoId: $video_id})
  RETURN n.description AS text
  UNION
  MATCH (n:Event {videoId: $video_id})
  RETURN n.description AS text
}
RETURN text
ORDER BY text
