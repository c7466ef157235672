// name: evaluation/videos
// mode: read
// summary: The complete videos of the memory, by the names that data sets may know them by.
// returns video_id: STRING - the video
// returns external_id: STRING | NULL - what the annotation calls it; null for one that has a file
// returns title: STRING - its title
// returns build: STRING | NULL - name of the build; null for the default one
// returns pipeline: STRING - what found, tracked and described what is in it
MATCH (v:Video {status: 'ready'})
RETURN v.id AS video_id, v.externalId AS external_id, v.title AS title, v.build AS build,
       v.detector + ', ' + v.tracker + ', ' + v.describer AS pipeline
ORDER BY video_id
