// name: export/frame_nodes
// mode: read
// summary: The frame nodes of a video, without vectors.
// param video_id: STRING - the video
// returns record: MAP - properties
MATCH (f:Frame)-[:CONTAINS]->(n:FrameNode {videoId: $video_id})<-[:APPEARS_AS]-(e:Entity)
RETURN n {.id, frame: f.id, entity: e.id, .t, .label, .xMin, .yMin, .xMax, .yMax, .confidence, .attributes,
          .description, .geometryAttributes, .geometryDescription, .source} AS record
ORDER BY n.id
