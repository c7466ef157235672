// name: identities/tracks_of_video
// mode: read
// summary: The tracks of all entities of a video, to find again what a record was about.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns label: STRING - what it is, as it was found
// returns timestamps_s: LIST<FLOAT> - times of its track, seconds
// returns boxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS entity_id, coalesce(e.originalLabel, e.label) AS label, e.trackT AS timestamps_s, e.trackBoxes AS boxes
ORDER BY entity_id
