/// What is to be kept.
package struct RetentionRule: Hashable, Sendable {
    /// How long audit records are kept, in milliseconds; `nil`: without limit.
    package var auditRecords: Int64?
    /// The most audit records kept; `nil`: no limit.
    package var auditRows: Int64?
    /// The most verdicts kept under idempotency keys. One has a few kilobytes.
    package var verdicts: Int64 = 1_000_000
    /// The most spent challenges kept. One has about 35 bytes.
    package var challenges: Int64 = 20_000_000
    /// The most uses of evidence kept. One has about 35 bytes.
    package var evidence: Int64 = 20_000_000
    package init() {}
}

/// When it warns: at either.
package struct DiskSpaceRule: Hashable, Sendable {
    package var freeBytes: UInt64 = 1 << 30
    /// Of the capacity.
    package var freePercent: UInt64 = 5
    package init() {}

    /// Whether so little is free that it needs attention.
    package func isLow(_ space: DiskSpace) -> Bool {
        space.free < freeBytes || Double(space.free) < Double(space.capacity) * Double(freePercent) / 100
    }
}
