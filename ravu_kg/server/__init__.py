"""The embedded Neo4j: fetched, started, stopped and probed."""
