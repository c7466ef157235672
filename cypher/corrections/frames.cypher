// name: corrections/frames
// mode: read
// summary: The frame descriptions of a video as they are and as they were written.
// param video_id: STRING - the video
// returns id: STRING - the frame
// returns description: STRING - what it shows
// returns found_description: STRING - what was said before an entity in it was corrected
MATCH (f:Frame {videoId: $video_id})
RETURN f.id AS id, f.description AS description, coalesce(f.originalDescription, f.description) AS found_description
ORDER BY id
