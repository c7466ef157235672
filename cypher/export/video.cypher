// name: export/video
// mode: read
// summary: A video's own properties, without what changes from run to run.
// param video_id: STRING - the video
// returns record: MAP - its properties
MATCH (v:Video {id: $video_id})
RETURN v {.id, .build, .contentHash, .externalId, .title, .width, .height, .duration, .frameRate, .frameCount,
          .frameNodeCount, .sampleInterval, .trackingRate, .cuts, .status, .detector, .tracker, .describer,
          .embedder} AS record
