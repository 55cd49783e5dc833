import AssayCore

/// A package that may make keys for an app, and who signs it.
package struct AndroidApp: Hashable, Sendable {
    /// `nil`: any package by one of the signers. For conformance alone.
    package let packageName: String?
    /// SHA-256 of the certificates that may sign it, 32 bytes each: Google's, where Play signs. `nil`: anyone. For conformance
    /// alone.
    package let signers: Set<[UInt8]>?
    /// The lowest version code; `nil`: any.
    package let minimumVersion: Int64?

    package init(packageName: String?, signers: Set<[UInt8]>?, minimumVersion: Int64? = nil) {
        (self.packageName, self.signers, self.minimumVersion) = (packageName, signers, minimumVersion)
    }
}

extension AndroidPolicy {
    /// Packages that share a user id share its keys, so that any of those attested may have made this one: all must be
    /// allowed, each by all of its signers.
    func judgeApp(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard let apps else { return appraisal.skip("attested_app") }
        let attested = try appraisal.check("attested_app") { () throws(Rejection) in
            guard let attested = facts.application, !attested.packages.isEmpty else {
                throw Rejection(.attestedAppMissing, "the device names no package")
            }
            guard !attested.isPlaceholder else {
                throw Rejection(.attestedAppUnavailable, "the device names a placeholder; it helps to restart it")
            }
            return attested
        }
        // By the attested package; the names are opaque, compared as bytes.
        let allowed = attested.packages.map { package in
            apps.filter { $0.packageName?.hasBytes(of: package.name) ?? true }
        }
        try appraisal.require(
            "package", !allowed.contains { $0.isEmpty }, else: .packageMismatch, "a package that is none of the app's")
        let signed = allowed.map { $0.filter { $0.isSigned(by: attested.signers) } }
        try appraisal.require(
            "signer", !signed.contains { $0.isEmpty }, else: .signerMismatch, "a signer that is none of the package's")
        try appraisal.require(
            "app_version",
            zip(attested.packages, signed).allSatisfy { package, apps in
                apps.contains { $0.minimumVersion.map { package.version >= $0 } ?? true }
            }, else: .appVersion, "a version below what the app allows")
    }
}

extension AndroidApp {
    /// An empty list of signers is nobody's.
    fileprivate func isSigned(by attested: [[UInt8]]) -> Bool {
        guard let signers else { return true }
        return !attested.isEmpty && attested.allSatisfy(signers.contains)
    }
}
