// name: identities/to_be_seen
// mode: read
// summary: Entities of a video whose appearance this model did not measure yet and no import gave, with their boxes.
// param video_id: STRING - the video
// param model: STRING - the appearance model
// returns entity_id: STRING - the entity
// returns timestamps_s: LIST<FLOAT> - times it was seen at, seconds
// returns boxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
MATCH (e:Entity {videoId: $video_id})
WHERE (e.appearanceModel IS NULL OR (e.appearanceModel <> $model AND NOT e.appearanceModel STARTS WITH 'given:'))
  AND size(e.trackT) > 0
RETURN e.id AS entity_id, e.trackT AS timestamps_s, e.trackBoxes AS boxes
ORDER BY entity_id
