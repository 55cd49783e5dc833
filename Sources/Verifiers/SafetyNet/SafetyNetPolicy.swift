/// The requirements on a response.
package struct SafetyNetPolicy: Hashable, Sendable {
    /// The greatest age of a response, in milliseconds.
    package var maxAgeMilliseconds: Int64
    /// How far Google's clock may be ahead, in milliseconds.
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
