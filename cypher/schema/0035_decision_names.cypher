// name: schema/0035_decision_names
// mode: write
// summary: Make the names of decisions, corrections and looks known, as 0022_names does with those before it.
// returns names: INTEGER - how many names
UNWIND ['Decision', 'Correction', 'IdentityRule'] AS label
CALL db.createLabel(label)
WITH count(*) AS labels
UNWIND ['operation', 'kind', 'verdict', 'why', 'firstId', 'secondId', 'firstVideoId', 'secondVideoId', 'firstSeen',
        'secondSeen', 'note', 'undoneBy', 'undoneAt', 'undoneWhy', 'threshold', 'look', 'target', 'targetId', 'seen',
        'changes', 'event', 'originalLabel', 'originalDescription', 'originalStart', 'originalEnd'] AS property
CALL db.createProperty(property)
WITH labels, count(*) AS properties
RETURN labels + properties AS names
