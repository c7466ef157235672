// name: explore/overview
// mode: read
// summary: Every video with how much is known of it.
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns status: STRING - indexing, ready, replacing (about to take the place of another) or deleting
// returns duration_s: FLOAT - length
// returns frames: INTEGER - sampled frames
// returns entities: INTEGER - entities
// returns identities: INTEGER - entities counted once when a link joins them
// returns events: INTEGER - events
// returns detector: STRING - what found the boxes
MATCH (v:Video)
RETURN v.id AS video_id, v.title AS title, v.status AS status, v.duration AS duration_s,
       COUNT { (v)-[:HAS_FRAME]->() } AS frames,
       COUNT { (v)-[:HAS_ENTITY]->() } AS entities,
       COUNT { MATCH (v)-[:HAS_ENTITY]->(e) RETURN DISTINCT e.identityId } AS identities,
       COUNT { (v)-[:HAS_ENTITY]->()-[:HAS_EVENT]->() } AS events,
       v.detector AS detector
ORDER BY title, video_id
