// name: export/tracks
// mode: read
// summary: The tracks of a video's entities.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns track_id: INTEGER - its number in the video
// returns label: STRING - what it is
// returns timestamps_s: LIST<FLOAT> - times it was seen at, seconds
// returns boxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS entity_id, e.trackId AS track_id, e.label AS label, e.trackT AS timestamps_s, e.trackBoxes AS boxes
ORDER BY track_id
