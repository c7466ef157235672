// name: explore/memory_cost
// mode: read
// summary: What a video costs in the memory: nodes, relationships, and about how many bytes of vectors and tracks.
// param video_id: STRING - the video
// returns frames: INTEGER - sampled frames
// returns frame_nodes: INTEGER - entities in frames, each with a vector
// returns entities: INTEGER - entities
// returns events: INTEGER - events, each with a vector
// returns relations: INTEGER - relations between frame nodes
// returns relationships: INTEGER - all relationships that start at a node of the video, counted once
// returns vector_bytes: INTEGER - four bytes a number
// returns track_bytes: INTEGER - eight bytes a number
// returns nodes_per_minute: FLOAT | NULL - nodes for a minute of video
MATCH (v:Video {id: $video_id})
WITH v, COUNT { (v)-[:HAS_FRAME]->() } AS frames, COUNT { (v)-[:HAS_ENTITY]->() } AS entities,
     COUNT { (v)-[:HAS_FRAME]->()-[:CONTAINS]->() } AS frame_nodes,
     COUNT { (v)-[:HAS_ENTITY]->()-[:HAS_EVENT]->() } AS events,
     COUNT { (v)-[:HAS_FRAME]->()-[:CONTAINS]->()-[:REL]->() } AS relations,
     COUNT { (v)-[:HAS_FRAME]->()-[:NEXT]->() } + COUNT { (v)-[:HAS_ENTITY]->()-[:SAME_AS]->() } +
     COUNT { (v)-[:HAS_FRAME]->()-[:CONTAINS]->()-[:SAME_AS]->() } +
     COUNT { (v)-[:HAS_ENTITY]->()-[:HAS_EVENT]->()-[:NEXT]->() } AS chains,
     COLLECT { MATCH (v)-[:HAS_ENTITY]->(e) RETURN size(e.trackT) + size(e.trackBoxes) } AS track_numbers
MATCH (m:Embedder)
RETURN frames, frame_nodes, entities, events, relations,
       frames + entities + 2 * frame_nodes + events + relations + chains AS relationships,
       (frame_nodes + events) * m.dimensions * 4 AS vector_bytes,
       reduce(total = 0, n IN track_numbers | total + n) * 8 AS track_bytes,
       CASE WHEN v.duration > 0 THEN (1 + frames + frame_nodes + entities + events) * 60.0 / v.duration END
         AS nodes_per_minute
