// name: schema/text_indexes
// mode: read
// summary: The full-text indexes that are there.
// returns name: STRING - the index
SHOW FULLTEXT INDEXES YIELD name
RETURN name
ORDER BY name
