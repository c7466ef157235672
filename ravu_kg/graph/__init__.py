"""The scene graph in Neo4j: templates, store, schema, writer, reader."""
