import AssayCore

/// A package that may make keys for an app, with its signers.
package struct AndroidApp: Hashable, Sendable {
    /// `nil`: any package of these signers. Only for conformance.
    package let packageName: String?
    /// SHA-256 of the certificates that may sign it, 32 bytes each; with Play App Signing, of Google's. `nil`: any signer. Only
    /// for conformance.
    package let signers: Set<[UInt8]>?
    /// The lowest version code; `nil`: any.
    package let minimumVersion: Int64?

    package init(packageName: String?, signers: Set<[UInt8]>?, minimumVersion: Int64? = nil) {
        (self.packageName, self.signers, self.minimumVersion) = (packageName, signers, minimumVersion)
    }
}

extension AndroidPolicy {
    /// Packages with a common user id share its keys, so any attested package may have made this one. Therefore all attested
    /// packages must be allowed, each with all of its signers.
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
        // By the attested package; names are compared as bytes.
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
    /// An empty list of signers matches nothing.
    fileprivate func isSigned(by attested: [[UInt8]]) -> Bool {
        guard let signers else { return true }
        return !attested.isEmpty && attested.allSatisfy(signers.contains)
    }
}
