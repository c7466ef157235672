// name: schema/0022_names
// mode: write
// summary: Make every name of the graph known, so that a query over an empty graph raises no warning and the Browser completes it.
// returns names: INTEGER - how many names
UNWIND ['Video', 'Frame', 'Entity', 'FrameNode', 'Event', 'VectorBlock', 'SchemaMigration', 'Embedder'] AS label
CALL db.createLabel(label)
WITH count(*) AS labels
UNWIND ['HAS_FRAME', 'NEXT', 'HAS_ENTITY', 'CONTAINS', 'APPEARS_AS', 'HAS_EVENT', 'SAME_AS', 'REL'] AS type
CALL db.createRelationshipType(type)
WITH labels, count(*) AS types
WITH labels + types AS others
UNWIND ['attributes', 'appliedAt', 'build', 'checksum', 'color', 'confidence', 'contentHash', 'coverage', 'createdAt',
        'cursorId', 'cursorLabel', 'data', 'decidedAt', 'decidedBy', 'description', 'describer', 'detector', 'dimensions',
        'dtype', 'duration', 'embedder', 'embedding', 'entityId', 'externalId', 'frameCount', 'frameIndex',
        'frameNodeCount', 'frameRate', 'gap', 'geometryAttributes', 'geometryDescription', 'height', 'id', 'identityId',
        'index', 'label', 'method', 'name', 'nodeIds', 'pipeline', 'predicate', 'revision', 'sampleInterval', 'scope',
        'score', 'seq', 'source', 'sourceFrame', 'status', 't', 'tEnd', 'tStart', 'text', 'title', 'trackBoxes',
        'trackId', 'trackT', 'tracker', 'uri', 'version', 'videoId', 'width', 'windowEnds', 'xMax', 'xMin', 'yMax',
        'yMin'] AS property
CALL db.createProperty(property)
WITH others, count(*) AS properties
RETURN others + properties AS names
