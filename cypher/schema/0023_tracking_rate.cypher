// name: schema/0023_tracking_rate
// mode: write
// summary: Make the name of the tracking rate known, as 0022_names does with those before it.
CALL db.createProperty('trackingRate')
