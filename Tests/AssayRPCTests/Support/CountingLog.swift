import Logging
import Synchronization

/// Counts the lines of a log.
final class CountingLog: Sendable {
    private let lines = Mutex(0)

    var count: Int { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test", factory: { _ in Handler(log: self) }) }

    private struct Handler: LogHandler {
        let log: CountingLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.lines.withLock { $0 += 1 } }
    }
}
