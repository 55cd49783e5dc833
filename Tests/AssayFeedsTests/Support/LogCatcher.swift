import Logging
import Synchronization

/// Keeps what is logged, a text for each line.
final class LogCatcher: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(catcher: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let catcher: LogCatcher
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        init(catcher: LogCatcher) { self.catcher = catcher }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            catcher.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
