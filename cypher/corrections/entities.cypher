// name: corrections/entities
// mode: read
// summary: The entities of a video as they are and as they were found.
// param video_id: STRING - the video
// returns id: STRING - the entity
// returns track_id: INTEGER - number within the video
// returns label: STRING - what it is
// returns found_label: STRING - what it was found to be
// returns given_name: STRING | NULL - the name that a person gave it
// returns description: STRING - what is known of it
// returns found_description: STRING - what was known before it was corrected
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS id, e.trackId AS track_id, e.label AS label, coalesce(e.originalLabel, e.label) AS found_label,
       e.name AS given_name, e.description AS description,
       coalesce(e.originalDescription, e.description) AS found_description
ORDER BY track_id, id
