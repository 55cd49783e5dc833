/// A key that one piece of evidence attests, for other pieces of the same request.
public struct AttestedKey: Hashable, Sendable {
    /// SHA-256 of its SubjectPublicKeyInfo.
    public let publicKeySHA256: [UInt8]
    /// The packages that may have made it, in the order of the evidence.
    public let packages: [String]
    /// SHA-256 of the certificates that sign the packages.
    public let signers: [[UInt8]]

    public init(publicKeySHA256: [UInt8], packages: [String], signers: [[UInt8]]) {
        (self.publicKeySHA256, self.packages, self.signers) = (publicKeySHA256, packages, signers)
    }
}
