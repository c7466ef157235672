"""From frames to entities: observing, tracking, re-entry links, and the measured describer."""
