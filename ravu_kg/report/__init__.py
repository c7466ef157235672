"""What a person looks at and sends on: a page, pictures and a clip, made of the graph and of the video's file."""
