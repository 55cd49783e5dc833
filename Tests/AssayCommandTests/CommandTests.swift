import Testing

/// Tests of commands that need no daemon: one after the other, since each test starts several processes.
@Suite("Commands", .serialized, .timeLimit(.minutes(30)))
enum CommandTests {}
