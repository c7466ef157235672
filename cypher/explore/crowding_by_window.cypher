// name: explore/crowding_by_window
// mode: read
// summary: How full the picture is over time: stretches of equal length with the mean and the most entities in a frame.
// param video_id: STRING - the video
// param window_s: FLOAT - length of a stretch
// returns from_s: FLOAT - start of the stretch
// returns frames: INTEGER - sampled frames in it
// returns mean_entities: FLOAT - entities a frame
// returns most_entities: INTEGER - in its fullest frame
// returns entities: INTEGER - different entities in it
MATCH (f:Frame {videoId: $video_id})
OPTIONAL MATCH (f)-[:CONTAINS]->(n:FrameNode)
WITH f, collect(n.entityId) AS entities
WITH toInteger(floor(f.t / $window_s)) AS window, collect(entities) AS seen
RETURN window * $window_s AS from_s, size(seen) AS frames,
       toFloat(reduce(total = 0, one IN seen | total + size(one))) / size(seen) AS mean_entities,
       reduce(most = 0, one IN seen | CASE WHEN size(one) > most THEN size(one) ELSE most END) AS most_entities,
       size(reduce(all_of = [], one IN seen | all_of + [e IN one WHERE NOT e IN all_of])) AS entities
ORDER BY from_s
