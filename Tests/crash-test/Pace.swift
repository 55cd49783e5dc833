import ArgumentParser

/// How much the callers of the load do.
struct Pace: ParsableArguments {
    @Option(
        name: .customLong("pace"),
        help: "How long each caller waits between two requests, in milliseconds. 0: as much load as can be.")
    var milliseconds = 0

    /// Between two requests of a caller.
    var interval: Duration { .milliseconds(milliseconds) }

    func validate() throws {
        guard milliseconds >= 0 else { throw ValidationError("want no negative time") }
    }
}
