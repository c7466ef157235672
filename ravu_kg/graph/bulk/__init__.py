"""First loads of many millions of nodes: the graph as files for Neo4j's own import, into a database without data."""
