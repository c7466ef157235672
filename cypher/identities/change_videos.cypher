// name: identities/change_videos
// mode: write
// summary: Videos whose identities, names or events were changed by a person have another revision: older answers are stale.
// param video_ids: LIST<STRING> - the videos
UNWIND $video_ids AS wanted
MATCH (v:Video {id: wanted})
SET v.revision = v.revision + 1
