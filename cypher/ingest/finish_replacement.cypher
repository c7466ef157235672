// name: ingest/finish_replacement
// mode: write
// summary: A graph that is to take the place of a video is complete.
// param video_id: STRING - the video
// param replacement_id: STRING - the graph that takes its place
MATCH (v:Video {id: $replacement_id})
OPTIONAL MATCH (old:Video {id: $video_id})
SET v.frameNodeCount = COUNT { MATCH (n:FrameNode {videoId: $replacement_id}) },
    v.revision = coalesce(old.revision, 0) + 1,
    v.status = 'replacing'
