"""One video's graph as one file, out and in. The format is described in ``BUNDLE.md`` beside this file."""
