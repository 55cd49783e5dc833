package import AssayAPI
package import AssayCore
package import AssayTop

/// What `assay doctor` goes by. What collects it judges nothing; what could not be learned is `nil`.
package struct InstallationFacts: Sendable {
    /// What a daemon answered.
    package enum Daemon: Sendable {
        /// The daemon's status and metrics.
        case answered(Assay_V1_StatusResponse, MetricsSample)
        /// It answered that the caller may not ask.
        case denied(String)
        /// It did not answer.
        case silent(String)
    }

    /// Whether the time of this machine is kept right.
    package enum TimeKeeping: Hashable, Sendable {
        /// The kernel knows its clock to be synchronised, within this many milliseconds.
        case synchronised(within: Int64)
        case unsynchronised
    }

    /// The distance between the clocks of this machine and of the daemon's.
    package struct ClockDistance: Hashable, Sendable {
        /// How far the daemon's clock is ahead, in milliseconds.
        package let ahead: Int64
        /// How far off `ahead` may be: half the time of the call, in milliseconds.
        package let uncertainty: Int64

        package init(ahead: Int64, uncertainty: Int64) { (self.ahead, self.uncertainty) = (ahead, uncertainty) }
    }

    /// What `assayd check-config` says of the configuration file.
    package enum FileCheck: Sendable {
        /// - digest: empty where the file cannot be used.
        case checked(file: String, digest: String, problems: [Problem], findings: [Finding])
        /// It could not be asked.
        case unchecked(file: String, String)

        package struct Problem: Hashable, Sendable {
            package let line: Int?
            package let text: String
            package init(line: Int?, text: String) { (self.line, self.text) = (line, text) }
        }

        package struct Finding: Hashable, Sendable {
            package let code: String
            /// `failure`, `warning` or `note`.
            package let severity: String
            package let line: Int?
            /// The way to the key in the file.
            package let path: String
            package let message: String
            /// Whether the file asks for it in so many words.
            package let isIntended: Bool

            package init(
                code: String, severity: String, line: Int?, path: String, message: String, isIntended: Bool
            ) {
                (self.code, self.severity, self.line) = (code, severity, line)
                (self.path, self.message, self.isIntended) = (path, message, isIntended)
            }
        }
    }

    /// An address of the configuration, and why nothing answers there; `nil`: a connection was made.
    package struct Listener: Hashable, Sendable {
        package let address: String
        package let problem: String?
        package init(address: String, problem: String?) { (self.address, self.problem) = (address, problem) }
    }

    /// The ledger's file as it lies on the disk.
    package struct LedgerFile: Hashable, Sendable {
        package let path: String
        /// In bytes; 0 where there is none.
        package let size: Int64
        package let writeAheadLog: Int64
        /// Of the file system; `nil`: it gives no answer.
        package let space: DiskSpace?
        package let rule: DiskSpaceRule

        package init(path: String, size: Int64, writeAheadLog: Int64, space: DiskSpace?, rule: DiskSpaceRule) {
            (self.path, self.size, self.writeAheadLog, self.space, self.rule) = (path, size, writeAheadLog, space, rule)
        }
    }

    /// Where the daemon was asked.
    package var address: String
    package var daemon: Daemon
    package var distance: ClockDistance?
    /// All API keys; `nil`: the caller may not list them.
    package var keys: [Assay_V1_CallerKey]?
    package var timeKeeping: TimeKeeping?
    /// `nil`: no file was named or found.
    package var configuration: FileCheck?
    package var listeners: [Listener] = []
    package var ledger: LedgerFile?

    package init(address: String, daemon: Daemon) { (self.address, self.daemon) = (address, daemon) }
}
