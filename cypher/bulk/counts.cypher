// name: bulk/counts
// mode: read
// summary: How many nodes of each kind the graph holds.
// returns videos: INTEGER - videos
// returns frames: INTEGER - frames
// returns entities: INTEGER - entities
// returns frame_nodes: INTEGER - frame nodes
// returns events: INTEGER - events
RETURN COUNT { (:Video) } AS videos, COUNT { (:Frame) } AS frames, COUNT { (:Entity) } AS entities,
       COUNT { (:FrameNode) } AS frame_nodes, COUNT { (:Event) } AS events
