/// Where genuine devices break RFC 5280, by name. None holds unless the profile of the evidence says so.
package struct CertificateLeniencies: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// GeneralizedTime for a year before 2050, which §4.1.2.5 wants as UTCTime. Some StrongBox leaves of Android have it.
    package static let generalizedTimeBefore2050 = CertificateLeniencies(rawValue: 1)
}
