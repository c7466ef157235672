// name: schema/0034_correction_video
// mode: schema
// summary: Corrections of a video.
CREATE INDEX correction_video IF NOT EXISTS
FOR (n:Correction) ON (n.videoId)
