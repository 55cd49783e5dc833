/// The places where genuine devices break RFC 5280, by name. Each applies only if the profile of the evidence allows it, and a
/// certificate lists those that it needed.
package struct CertificateLeniencies: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// GeneralizedTime for a year before 2050, where §4.1.2.5 requires UTCTime. Some StrongBox leaves of Android have it.
    package static let generalizedTimeBefore2050 = CertificateLeniencies(rawValue: 1)
    /// ECDSA with NULL where RFC 5758 §3.2 requires absent parameters: StrongBox of the Pixel 3 and related devices.
    package static let ecdsaWithNull = CertificateLeniencies(rawValue: 2)
    /// `critical` encoded as another octet than FF, or as an explicit FALSE.
    package static let criticalNotDER = CertificateLeniencies(rawValue: 4)
    /// A serial number that is negative, zero-padded or empty (§4.1.2.2). Its octets are taken unchanged.
    package static let oddSerial = CertificateLeniencies(rawValue: 8)
    /// Dates that cannot be read. Such a certificate is never valid: for a leaf whose dates are not checked.
    package static let unreadableDates = CertificateLeniencies(rawValue: 16)

    /// The name of each leniency in the set, in the order of declaration.
    package var names: [String] { Self.words.filter { contains($0.0) }.map(\.1) }

    private static let words: [(CertificateLeniencies, String)] = [
        (.generalizedTimeBefore2050, "generalized_time_before_2050"), (.ecdsaWithNull, "ecdsa_with_null"),
        (.criticalNotDER, "critical_not_der"), (.oddSerial, "odd_serial"), (.unreadableDates, "unreadable_dates"),
    ]
}
