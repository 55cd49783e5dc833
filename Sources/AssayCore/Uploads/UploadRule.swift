/// How an app's payloads are uploaded: the section `apps.<app>.uploads`.
package struct UploadRule: Hashable, Sendable {
    /// How long an upload may last, in milliseconds: 1 minute to 1 day.
    package static let lifetimes: ClosedRange<Int64> = 60_000...86_400_000
    /// How many unfinished uploads an app may have.
    package static let openLimits: ClosedRange<Int> = 1...10_000

    /// From the beginning to the last use, in milliseconds.
    package var lifetime: Int64 = 3_600_000
    /// The most unfinished uploads at a time, of all callers.
    package var openLimit = 1000

    package init() {}
}
