package import AssayCore

/// Whether the machine's clock can be right. A daemon under a wrong clock accepts certificates outside their dates, and issues
/// challenges that no daemon accepts afterwards.
package enum ClockCheck {
    /// How far the clock may be behind the ledger's last entry, in milliseconds: the skew that is allowed everywhere.
    package static let tolerance: Int64 = 300_000

    /// Throws a sentence for the operator if the clock is before this program was made, or behind what the ledger has seen.
    package static func check(now: Timestamp, lastEntry: Timestamp?) throws(StartupError) {
        guard now >= Version.date else {
            throw StartupError(
                "the clock says \(now), which is before this program was made (\(Version.date)); set the clock, "
                    + "or start with --accept-clock if it is right", exitStatus: StartupError.system)
        }
        guard let lastEntry, lastEntry.milliseconds(since: now) > tolerance else { return }
        throw StartupError(
            "the clock says \(now), which is behind the ledger's last entry (\(lastEntry)); set the clock, "
                + "or start with --accept-clock if it is right and was wrong before", exitStatus: StartupError.system)
    }
}

extension OpenStore {
    /// Throws a `StartupError` if the clock cannot be right, or a `LedgerError`.
    package func checkClock(_ clock: some WallClock = SystemClock()) async throws {
        try ClockCheck.check(now: clock.now(), lastEntry: try await ledger.status().lastEntryAt)
    }
}
