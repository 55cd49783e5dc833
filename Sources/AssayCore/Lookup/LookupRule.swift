/// How long an app's accepted verdicts can be found by the hash of what the device signed: the section `apps.<app>.lookup`.
package struct LookupRule: Hashable, Sendable {
    /// How long a verdict may be kept, in milliseconds: 1 hour to 10 years.
    package static let ages: ClosedRange<Int64> = 3_600_000...3660 * 86_400_000

    /// In milliseconds.
    package var age: Int64 = 90 * 86_400_000

    package init() {}
}
