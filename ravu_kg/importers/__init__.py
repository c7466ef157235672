"""Annotations and tracks that others made, read into the graph; one module a kind."""
