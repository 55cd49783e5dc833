import Logging
import Synchronization

/// Keeps the lines of a log.
final class CountingLog: Sendable {
    private let kept = Mutex<[String]>([])

    /// Each with its level, message and metadata, which are in the order of their keys.
    var lines: [String] { kept.withLock { $0 } }
    var count: Int { lines.count }
    var logger: Logger { Logger(label: "test", factory: { _ in Handler(log: self) }) }

    private struct Handler: LogHandler {
        let log: CountingLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = ["\(event.level)", "\(event.message)"] + metadata
            log.kept.withLock { $0.append(line.joined(separator: " ")) }
        }
    }
}
