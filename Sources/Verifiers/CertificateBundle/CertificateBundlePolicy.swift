import AssayCertificates
package import AssayCore

/// What an app demands of certificate bundles.
package struct CertificateBundlePolicy: Sendable {
    /// When a certificate must have a device secret.
    package enum SecretRule: String, CaseIterable, Sendable {
        /// Always.
        case required
        /// A certificate that is on record may have none, or one that is not checked because the app has no fleet: the record names its
        /// device. All others need one.
        case ifPresent = "if_present"
    }

    /// How many submissions a device may make.
    package struct Submissions: Hashable, Sendable {
        /// From this many in 24 hours on, the verdict has a note.
        package var warn: Int64 = 8_000
        /// From this many in 24 hours on, a submission is refused.
        package var block: Int64 = 10_000
        package init() {}
    }

    /// How far the time in a bundle may be ahead, in milliseconds, the end included.
    package var maxFuture: Int64 = 60_000
    /// How old a bundle may be, in milliseconds, the end included.
    package var maxAge: Int64 = 30 * 86_400_000
    /// The arc of the extensions of a fleet's certificates.
    var arc: FleetArc
    package var secret: SecretRule = .ifPresent
    package var submissions = Submissions()
    /// Whether callers may show only the digest of what was signed. The time of such a bundle cannot be judged.
    package var allowsSplit = true
    /// The assurance of certificates that are not on record.
    package var foreignAssurance: Assurance = .software

    package init?(arc: String = FleetArc.usual) {
        guard let arc = FleetArc(arc) else { return nil }
        self.arc = arc
    }

    func digest(into hash: inout FieldDigest) {
        hash.append(UInt64(bitPattern: maxFuture))
        hash.append(UInt64(bitPattern: maxAge))
        hash.append(arc.description)
        hash.append(secret.rawValue)
        hash.append(UInt64(bitPattern: submissions.warn))
        hash.append(UInt64(bitPattern: submissions.block))
        hash.append(allowsSplit ? 1 : 0)
        hash.append(UInt64(foreignAssurance.rawValue))
    }
}
