// name: identities/forget_decisions
// mode: write
// summary: Remove the decisions about entities of a video that is deleted.
// param video_id: STRING - the video
CALL () {
  MATCH (d:Decision {firstVideoId: $video_id})
  RETURN d
  UNION
  MATCH (d:Decision {secondVideoId: $video_id})
  RETURN d
}
WITH d
DETACH DELETE d
