// name: explore/activity
// mode: read
// summary: The most or the least active entities: how far they move, what they do, with whom they have to do.
// param video_id: STRING - the video
// param most: BOOLEAN - true for the most active first, false for the least
// param limit: INTEGER - how many at most
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns seen_s: FLOAT - seconds in the picture
// returns path_px: FLOAT - length of its path, from sampled frame to sampled frame
// returns events: INTEGER - how many events it has
// returns relations: INTEGER - in how many relations it takes part, frame by frame
// returns px_per_s: FLOAT - pixels a second while it is in the picture; the order
MATCH (e:Entity {videoId: $video_id})
WITH e, [(e)-[:APPEARS_AS]->(n:FrameNode) WHERE n.xMin IS NOT NULL |
         {x: (n.xMin + n.xMax) / 2, y: (n.yMin + n.yMax) / 2, t: n.t}] AS places
UNWIND CASE WHEN places = [] THEN [null] ELSE places END AS place
WITH e, place ORDER BY place.t
WITH e, collect(place) AS places
WITH e, reduce(path = 0.0, i IN range(1, size(places) - 1) |
       path + sqrt((places[i].x - places[i - 1].x) ^ 2 + (places[i].y - places[i - 1].y) ^ 2)) AS path_px
WITH e, path_px, e.tEnd - e.tStart AS seen_s, COUNT { (e)-[:HAS_EVENT]->() } AS events,
     COUNT { (e)-[:APPEARS_AS]->(:FrameNode)-[:REL]-() } AS relations
RETURN e.id AS entity_id, e.label AS label, seen_s, path_px, events, relations,
       CASE WHEN seen_s > 0 THEN path_px / seen_s ELSE 0.0 END AS px_per_s
ORDER BY CASE WHEN $most THEN -px_per_s ELSE px_per_s END, events DESC, entity_id
LIMIT $limit
