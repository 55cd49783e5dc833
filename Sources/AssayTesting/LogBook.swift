package import Logging
import Synchronization

/// Remembers what is logged, for tests of what a log hears.
package final class LogBook: Sendable {
    package struct Entry: Sendable, CustomStringConvertible {
        package let level: Logger.Level
        package let message: String
        /// The logger's and the line's own.
        package let metadata: [String: String]

        /// `level: message name=value …`, in the order of the names.
        package var description: String {
            let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["\(level): \(message)"] + details).joined(separator: " ")
        }
    }

    private let kept = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { kept.withLock { $0 } }
    /// The entries as texts.
    package var lines: [String] { entries.map(\.description) }

    /// Of everything.
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
