/// Where genuine devices break RFC 5280, by name. None holds unless the profile of the evidence says so, and a certificate
/// says which it needed.
package struct CertificateLeniencies: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// GeneralizedTime for a year before 2050, which §4.1.2.5 wants as UTCTime. Some StrongBox leaves of Android have it.
    package static let generalizedTimeBefore2050 = CertificateLeniencies(rawValue: 1)
    /// ECDSA with NULL where RFC 5758 §3.2 wants no parameters: StrongBox of the Pixel 3 and its kin.
    package static let ecdsaWithNull = CertificateLeniencies(rawValue: 2)
    /// `critical` as another octet than FF, or as FALSE written out.
    package static let criticalNotDER = CertificateLeniencies(rawValue: 4)
    /// A serial number that is negative, zero-padded or empty of meaning (§4.1.2.2). Its octets count as they are.
    package static let oddSerial = CertificateLeniencies(rawValue: 8)
    /// Dates that cannot be read. Such a certificate is never valid: for a leaf whose dates nobody looks at.
    package static let unreadableDates = CertificateLeniencies(rawValue: 16)

    /// One word for each leniency, in the order in which they are declared.
    package var names: [String] { Self.words.filter { contains($0.0) }.map(\.1) }

    private static let words: [(CertificateLeniencies, String)] = [
        (.generalizedTimeBefore2050, "generalized_time_before_2050"), (.ecdsaWithNull, "ecdsa_with_null"),
        (.criticalNotDER, "critical_not_der"), (.oddSerial, "odd_serial"), (.unreadableDates, "unreadable_dates"),
    ]
}
