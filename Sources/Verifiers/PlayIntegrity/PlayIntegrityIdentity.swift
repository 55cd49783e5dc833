/// The app that a token must belong to.
package struct PlayIntegrityIdentity: Hashable, Sendable {
    /// Names of the app's packages: ASCII, in which equal texts have equal bytes.
    package let packages: Set<String>  // not text from outside
    /// SHA-256 of the certificates that sign it, 32 bytes each: with Play App Signing, of Google's app signing certificate, not
    /// of the upload key's. `nil`: not checked; a configuration always names some.
    package let signers: Set<[UInt8]>?

    package init(packages: Set<String>, signers: Set<[UInt8]>?) {  // not text from outside
        (self.packages, self.signers) = (packages, signers)
    }

    /// Names are compared as bytes: a look-alike or a Unicode equivalent is another package.
    func isPackage(_ name: String?) -> Bool { name.map { Self.contains(packages, $0) } ?? false }

    static func contains(_ packages: some Sequence<String>, _ name: String) -> Bool {
        packages.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
