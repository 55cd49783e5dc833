import Testing

/// Tests of daemons that issue certificates: one after the other, since each loads the machine with a daemon.
@Suite("Processes", .serialized, .timeLimit(.minutes(30)))
enum ProcessTests {}
