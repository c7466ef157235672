// name: library/attach
// mode: write
// summary: The file of a video: where it lies and what it holds.
// param video_id: STRING - the video
// param uri: STRING - place of the file
// param content_hash: STRING - SHA-256 of the file, hex
MATCH (v:Video {id: $video_id})
SET v.uri = $uri, v.contentHash = $content_hash
