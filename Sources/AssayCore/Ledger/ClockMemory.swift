/// Remembers a daemon's clock between its runs.
///
/// The memory belongs to one daemon: of several daemons on a ledger, each keeps its own.
public protocol ClockMemoryStore: Sendable {
    /// The memory that was kept last; `nil` if there is none.
    func clockMemory() async throws(LedgerError) -> ClockMemory?

    /// Replaces the memory. Durable on return.
    func keep(_ memory: ClockMemory) async throws(LedgerError)
}

/// What a daemon knew of its clock when it ran last. Without it, a clock that was set ahead between two runs cannot be told from one
/// that shows how long the daemon was stopped.
public struct ClockMemory: Hashable, Sendable {
    /// The last time that the daemon trusted.
    public var believed: Timestamp
    /// The machine's uptime at that time, in milliseconds (`BootClock`).
    public var uptime: Int64
    /// The machine's uptime, in milliseconds, when the clock was first seen ahead of the elapsed time; `nil` if it is not ahead.
    public var aheadSince: Int64?

    public init(believed: Timestamp, uptime: Int64, aheadSince: Int64? = nil) {
        (self.believed, self.uptime, self.aheadSince) = (believed, uptime, aheadSince)
    }
}
