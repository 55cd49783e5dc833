/// What an accepted piece of evidence speaks of, whatever the app's policy: signed results and the limits of a verdict are derived from it. How strong it
/// is says the assurance.
package struct EvidenceScope: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A key that is registered, or attested by this evidence, identifies the device.
    package static let device = EvidenceScope(rawValue: 1)
    /// The maker's chain shows that the hardware which holds the key is genuine.
    package static let hardware = EvidenceScope(rawValue: 2)
    /// It names the app.
    package static let app = EvidenceScope(rawValue: 4)
    /// It tells that the operating system was verified when it was booted.
    package static let system = EvidenceScope(rawValue: 8)
    /// It attests all of this itself. Without it, device and hardware are those of the registration.
    package static let now = EvidenceScope(rawValue: 16)
    /// The device's key signs any message, and not only structures of its platform.
    package static let messages = EvidenceScope(rawValue: 32)
}
