package import Logging
import Synchronization

/// Records log entries, for tests.
package final class LogBook: Sendable {
    package struct Entry: Sendable, CustomStringConvertible {
        package let level: Logger.Level
        package let message: String
        /// The metadata of the logger and of the entry.
        package let metadata: [String: String]

        /// `level: message name=value …`, ordered by name.
        package var description: String {
            let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["\(level): \(message)"] + details).joined(separator: " ")
        }
    }

    private let kept = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { kept.withLock { $0 } }
    /// The entries as text.
    package var lines: [String] { entries.map(\.description) }

    /// A logger of all levels.
    package var logger: Logger { logger(.trace) }

    package func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(book: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        init(book: LogBook) { self.book = book }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let entry = Entry(level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" })
            book.kept.withLock { $0.append(entry) }
        }
    }
}
