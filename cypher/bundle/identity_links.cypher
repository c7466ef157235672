// name: bundle/identity_links
// mode: read
// summary: Links of a video's entities to others of the same identity, in this video or another, for a bundle.
// param video_id: STRING - the video
// returns earlier: STRING - where the link starts
// returns later: STRING - where it ends
// returns properties: MAP - its properties
// returns times: LIST<STRING> - the names of those that are times
MATCH (:Entity {videoId: $video_id})-[s:SAME_AS]-(:Entity)
WITH DISTINCT s
RETURN startNode(s).id AS earlier, endNode(s).id AS later, properties(s) AS properties,
       [name IN keys(s) WHERE valueType(s[name]) STARTS WITH 'ZONED' | name] AS times
ORDER BY earlier, later
