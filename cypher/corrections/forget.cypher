// name: corrections/forget
// mode: write
// summary: Remove the corrections of a video that is deleted.
// param video_id: STRING - the video
MATCH (c:Correction {videoId: $video_id})
DETACH DELETE c
