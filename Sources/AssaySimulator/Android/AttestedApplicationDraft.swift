import AssayEncoding

/// The app that made a key, as Android's key store names it, before encoding.
public struct AttestedApplicationDraft: Hashable, Sendable {
    public struct Package: Hashable, Sendable {
        /// UTF-8 on genuine devices.
        public var name: [UInt8]
        public var version: UInt64

        public init(_ name: String, version: UInt64 = 1) { (self.name, self.version) = (Array(name.utf8), version) }
    }

    /// More than one if several apps share a user id.
    public var packages: [Package]
    /// SHA-256 of the certificates that sign the packages: 32 bytes each on genuine devices.
    public var signers: [[UInt8]]

    public init(packages: [Package], signers: [[UInt8]]) { (self.packages, self.signers) = (packages, signers) }

    public init(_ package: String, version: UInt64 = 1, signer: [UInt8]) {
        self.init(packages: [Package(package, version: version)], signers: [signer])
    }

    /// Written by the key store if it could not determine which app made the key, until the next restart.
    public static let unknown = Self(packages: [Package("UnknownPackage", version: 0)], signers: [])

    /// The DER in the tag's OCTET STRING.
    public var der: [UInt8] {
        DERWriter.sequence([
            DERWriter.set(
                packages.map { DERWriter.sequence([DERWriter.octetString($0.name), DERWriter.integer($0.version)]) }),
            DERWriter.set(signers.map(DERWriter.octetString)),
        ])
    }
}
