/// What is demanded of a response.
package struct SafetyNetPolicy: Hashable, Sendable {
    /// How old a response may be, in milliseconds.
    package var maxAgeMilliseconds: Int64
    /// How far ahead Google's clock may be, in milliseconds.
    package static let skew: Int64 = 60_000
    /// The device must match a certified profile (`ctsProfileMatch`).
    package var requiresCTSProfile: Bool
    /// The device must have basic integrity (`basicIntegrity`), which a certified profile includes.
    package var requiresBasicIntegrity: Bool

    package init(
        maxAgeMilliseconds: Int64 = 300_000, requiresCTSProfile: Bool = true, requiresBasicIntegrity: Bool = true
    ) {
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.requiresCTSProfile = requiresCTSProfile
        self.requiresBasicIntegrity = requiresBasicIntegrity
    }
}
