// name: explore/frames
// mode: read
// summary: Frames as they are described, such as the evidence of an answer in which no entity was seen.
// param frame_ids: LIST<STRING> - the frames
// returns frame: NODE - a frame
MATCH (frame:Frame)
WHERE frame.id IN $frame_ids
RETURN frame
ORDER BY frame.id
