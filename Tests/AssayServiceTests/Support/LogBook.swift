import Logging
import Synchronization

/// Remembers what is logged: level, message and metadata in one line each.
final class LogBook: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(book: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = (["\(event.level): \(event.message)"] + details).joined(separator: " ")
            book.entries.withLock { $0.append(line) }
        }
    }
}
