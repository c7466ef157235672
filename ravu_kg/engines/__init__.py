"""Where the work of indexing is done: in this process, in several, or on Ray."""
