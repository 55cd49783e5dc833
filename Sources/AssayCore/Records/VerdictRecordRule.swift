/// Which verdicts are recorded, and how many: the section `verdicts`.
package struct VerdictRecordRule: Hashable, Sendable {
    package enum Recorded: UInt8, Hashable, Sendable {
        case none = 0
        /// Rejections, and calls that could not be judged. The audit log has acceptances.
        case rejected = 1
        /// Acceptances too.
        case all = 2
    }

    package var recorded = Recorded.rejected
    package var limits = VerdictRecordLimits()
    /// How many verdicts of one app, caller and reason are recorded in a minute, each by itself.
    package var fullPerMinute: Int64 = 60
    /// Beyond these, one record stands for so many.
    package var sampledBy: Int64 = 100

    package init() {}
}
