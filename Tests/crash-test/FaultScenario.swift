/// The fault of a round.
enum FaultScenario: String, CaseIterable, Sendable {
    case kill = "kill -9"
    case fullDisk = "disk full (RLIMIT_FSIZE)"
    case failingSync = "fsync fails"
    case stop = "SIGTERM"
    case readOnly = "file read-only"
    case fullLedger = "disk full (SQLITE_FULL)"
    case restore = "backup restored"
    case clock = "clock steps"

    /// The command for a ``FaultyDaemon``; `nil`: the round uses `assayd` itself, or only changes its clock.
    var fault: FaultyDaemon.Command? {
        switch self {
        case .failingSync: .failSyncs
        case .readOnly: .readOnly
        case .fullLedger: .fullDisk
        case .kill, .fullDisk, .stop, .clock, .restore: nil
        }
    }
}
