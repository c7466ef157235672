// name: browser/box_colors
// mode: read
// summary: The colours of the boxes of a video's entities, and the labels that tell them to the Browser's style.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns color: STRING - of its box
// returns labels: LIST<STRING> - all its labels
MATCH (entity:Entity {videoId: $video_id})
RETURN entity.id AS entity_id, entity.color AS color, labels(entity) AS labels
ORDER BY entity_id
