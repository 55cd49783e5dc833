import Testing

/// What runs whole processes: one test after the other, since each has a daemon's load.
@Suite("Processes", .serialized, .timeLimit(.minutes(4)))
enum ProcessTests {}
