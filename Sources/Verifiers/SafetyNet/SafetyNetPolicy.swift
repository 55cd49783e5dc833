/// What is demanded of a response.
package struct SafetyNetPolicy: Hashable, Sendable {
    /// How old a response may be, in milliseconds.
    package var maxAgeMilliseconds: Int64
    /// How far ahead Google's clock may be, in milliseconds.
    package static let skew: Int64 = 60_000
    /// Demand a certified profile; otherwise basic integrity is enough.
    package var requiresCTSProfile: Bool

    package init(maxAgeMilliseconds: Int64 = 300_000, requiresCTSProfile: Bool = true) {
        (self.maxAgeMilliseconds, self.requiresCTSProfile) = (maxAgeMilliseconds, requiresCTSProfile)
    }
}
