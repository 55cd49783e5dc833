// Placeholder, replaced by the room's first suite.
