// name: reasoning/event_vectors
// mode: read
// summary: When the events of a video are, with the vectors of what is said of them, to compare phrases with them in memory.
// param video_id: STRING - the video
// param dimensions: INTEGER - length of the vectors; others are left out
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, seconds, half-open
// returns embedding: LIST<FLOAT> - the event's vector
MATCH (z:Event {videoId: $video_id})
WHERE z.embedding IS NOT NULL AND size(z.embedding) = $dimensions
RETURN z.tStart AS start_s, z.tEnd AS end_s, z.embedding AS embedding
ORDER BY start_s, end_s, z.id
