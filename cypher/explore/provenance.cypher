// name: explore/provenance
// mode: read
// summary: Where the facts of a video come from: frame nodes, relations and events by source.
// param video_id: STRING - the video
// returns fact: STRING - frame node, relation or event
// returns source: STRING - geometry, model or annotation
// returns facts: INTEGER - how many
CALL () {
  MATCH (n:FrameNode {videoId: $video_id}) RETURN 'frame node' AS fact, n.source AS source
  UNION ALL
  MATCH (:FrameNode {videoId: $video_id})-[r:REL]->() RETURN 'relation' AS fact, r.source AS source
  UNION ALL
  MATCH (z:Event {videoId: $video_id}) RETURN 'event' AS fact, z.source AS source
}
RETURN fact, source, count(*) AS facts
ORDER BY fact, source
