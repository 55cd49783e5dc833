import Logging
import Synchronization

/// Keeps what is logged.
final class LogCatcher: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let lines = Mutex<[Line]>([])
    var all: [Line] { lines.withLock { $0 } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(catcher: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let catcher: LogCatcher
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        init(catcher: LogCatcher) { self.catcher = catcher }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = Line(level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" })
            catcher.lines.withLock { $0.append(line) }
        }
    }
}
