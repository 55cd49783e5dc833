/// What a round puts the daemon through.
enum FaultScenario: String, CaseIterable, Sendable {
    case kill = "kill -9"
    case fullDisk = "disk full (RLIMIT_FSIZE)"
    case failingSync = "fsync fails"
    case stop = "SIGTERM"
    case readOnly = "file read-only"
    case clock = "clock steps"
    case fullLedger = "disk full (SQLITE_FULL)"
    case restore = "backup restored"

    /// What a ``FaultyDaemon`` is told; `nil`: the round has `assayd` itself, or its clock.
    var fault: FaultyDaemon.Command? {
        switch self {
        case .failingSync: .failSyncs
        case .readOnly: .readOnly
        case .fullLedger: .fullDisk
        case .kill, .fullDisk, .stop, .clock, .restore: nil
        }
    }
}
