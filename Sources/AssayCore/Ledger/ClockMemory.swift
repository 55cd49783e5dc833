/// What a daemon knew of its clock when it ran last: without it, a clock that has leapt ahead could not be told after a restart
/// from one that shows how long the daemon was away.
public struct ClockMemory: Hashable, Sendable {
    /// The last time that was believed.
    public var believed: Timestamp
    /// How long the machine had been up then, in milliseconds (`BootClock`).
    public var uptime: Int64
    /// How long the machine had been up, in milliseconds, when the clock was first seen ahead of the time that had passed; `nil` if it is not.
    public var aheadSince: Int64?

    public init(believed: Timestamp, uptime: Int64, aheadSince: Int64? = nil) {
        (self.believed, self.uptime, self.aheadSince) = (believed, uptime, aheadSince)
    }
}
