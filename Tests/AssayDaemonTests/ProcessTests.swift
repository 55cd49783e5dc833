import Testing

/// Tests of whole processes: one after the other, since each loads the machine with a daemon.
@Suite("Processes", .serialized, .timeLimit(.minutes(30)))
enum ProcessTests {}
