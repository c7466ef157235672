// name: ingest/finish_video
// mode: write
// summary: A video is complete; a video that was complete before keeps its revision.
// param video_id: STRING - the video
MATCH (v:Video {id: $video_id})
SET v.frameNodeCount = COUNT { MATCH (n:FrameNode {videoId: $video_id}) },
    v.revision = v.revision + CASE v.status WHEN 'ready' THEN 0 ELSE 1 END
SET v.status = 'ready'
