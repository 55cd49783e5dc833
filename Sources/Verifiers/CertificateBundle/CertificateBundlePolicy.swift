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
    var arc = FleetArc.standard
    package var secret: SecretRule = .ifPresent
    package var submissions = Submissions()
    /// Whether callers may show only the digest of what was signed. The time of such a bundle cannot be judged.
    package var allowsSplit = true
    /// The assurance of certificates that are not on record.
    package var foreignAssurance: Assurance = .software

    package init() {}

    /// - Parameter arc: the only one that is read.
    init(arc: FleetArc) { self.arc = arc }

    func describe(in policy: inout PolicyText) {
        policy.add("max_future", milliseconds: maxFuture)
        policy.add("max_age", milliseconds: maxAge)
        policy.add("extension_arc", arc.description)
        policy.add("secret", secret.rawValue)
        policy.add("submissions.warn", UInt64(bitPattern: submissions.warn))
        policy.add("submissions.block", UInt64(bitPattern: submissions.block))
        policy.add("split", hashed: allowsSplit ? 1 : 0, shown: allowsSplit ? "allow" : "deny")
        policy.add("assurance", hashed: UInt64(foreignAssurance.rawValue), shown: foreignAssurance.name)
    }
}
