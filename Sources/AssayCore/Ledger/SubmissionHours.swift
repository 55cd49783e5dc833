/// The hours by which ledgers count submissions: whole hours since 1970.
package enum SubmissionHours {
    private static let milliseconds: Int64 = 3_600_000

    /// The number of the hour that contains an instant.
    package static func hour(of time: Timestamp) -> Int64 {
        time.unixMilliseconds.flooredDivision(by: milliseconds).quotient
    }

    /// The hours that are counted at an instant: its own, and the 24 before, of which the first is included whole. Earlier hours can be
    /// dropped.
    package static func counted(at now: Timestamp) -> ClosedRange<Int64> { hour(of: now) - 24...hour(of: now) }
}
