package import AssayCore

/// What operators see of a plugin, as of one instant.
package struct PluginStatus: Hashable, Sendable {
    package enum State: String, CaseIterable, Hashable, Sendable {
        case starting
        case ready
        /// A process ended, and is started again after a delay.
        case waiting
        /// Processes ended too often: the circuit breaker is open.
        case broken
        /// It cannot be started before something is changed: a file, the catalog's entry, the kernel.
        case refused
        case disabled
        case stopped
    }

    package struct Process: Hashable, Sendable {
        package let id: Int32
        package let startedAt: Timestamp
        package let inFlight: Int
    }

    /// Since the daemon started, or the entry was changed.
    package struct Counts: Hashable, Sendable {
        package var calls: UInt64 = 0
        /// Answers that rejected.
        package var rejections: UInt64 = 0
        /// Calls that were answered UNAVAILABLE.
        package var unavailable: UInt64 = 0
        package var timeouts: UInt64 = 0
        /// Answers against the contract.
        package var invalid: UInt64 = 0
        package var deaths: UInt64 = 0
        package var starts: UInt64 = 0
        /// Answers of a shadow that agree, and that differ.
        package var agreements: UInt64 = 0
        package var differences: UInt64 = 0
        /// Verdicts that were not handed over.
        package var dropped: UInt64 = 0
        /// Pieces of evidence in quarantine now, also those that an earlier process of the daemon put there.
        package var quarantined: UInt64 = 0
    }

    package let state: State
    /// Why it is not ready; `nil` if it is.
    package let problem: String?
    package let description: PluginDescription?
    /// What the launcher reported at the last start.
    package let report: LauncherReport?
    package let processes: [Process]
    /// Calls that wait for a process.
    package let queued: Int
    package let counts: Counts
    /// What the plugin says of its health; `nil`: it can work.
    package let health: String?
    /// What the plugin wrote last before its last death, oldest line first.
    package let lastLines: [String]
    /// SHA-256 over the manifest.
    package let digest: [UInt8]
}
