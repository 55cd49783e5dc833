package import AssayConfiguration
package import AssayCore
package import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The daemon's log. Its level and format may change at any time, for all loggers at once.
package final class DaemonLog: Sendable {
    package typealias Sink = @Sendable (String) -> Void

    private let settings: Mutex<LogSettings>
    private let clock: any WallClock
    private let sink: Sink

    /// - Parameter sink: takes whole lines with their line feed; standard error by default.
    package init(_ settings: LogSettings, clock: any WallClock = SystemClock(), sink: @escaping Sink = DaemonLog.standardError)
    {
        self.settings = Mutex(settings)
        (self.clock, self.sink) = (clock, sink)
    }

    package var handler: any LogHandler { Handler(log: self) }
    package func makeLogger(_ label: String) -> Logger { Logger(label: label) { _ in Handler(log: self) } }

    package func set(_ new: LogSettings) { settings.withLock { $0 = new } }

    /// One call of `write` per line, so that lines of several threads do not mix.
    package static let standardError: Sink = { line in
        let bytes = Array(line.utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            // An unwritable log does not stop the daemon.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private struct Handler: LogHandler {
        let log: DaemonLog
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        /// This logger's own level, in place of the log's.
        private var own: Logger.Level?

        init(log: DaemonLog) { self.log = log }

        var logLevel: Logger.Level {
            get { own ?? log.settings.withLock(\.level) }
            set { own = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var all = metadata
            for more in [metadataProvider?.get(), event.metadata] { all.merge(more ?? [:]) { _, new in new } }
            let line = LogLine(
                time: log.clock.now(), level: event.level, message: "\(event.message)", metadata: all)
            log.sink(line.written(log.settings.withLock(\.format)) + "\n")
        }
    }
}

extension DaemonLog {
    /// Follows the section `log`.
    ///
    /// - Parameter overridden: the settings as the command line overrides them.
    package func reloadStep(_ overridden: @escaping @Sendable (LogSettings) -> LogSettings) -> ReloadStep {
        ReloadStep("log", follows: [\.log]) { live in
            let settings = overridden(live.log)
            return { self.set(settings) }
        }
    }
}
