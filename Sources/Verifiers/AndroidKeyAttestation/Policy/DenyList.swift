import AssayCore

/// Certificates and keys that the app's operator refuses although Google's list does not, or not yet: for example keys that
/// were offered for sale. It applies with and without a revocation list.
package struct DenyList: Hashable, Sendable {
    /// Serial numbers of certificates, as magnitudes.
    package let serials: Set<[UInt8]>
    /// SHA-256 of SubjectPublicKeyInfos.
    package let publicKeys: Set<[UInt8]>

    /// - Parameter serials: unsigned big-endian integers. The number 1, which most attested keys have, would deny all of those.
    package init(serials: Set<[UInt8]> = [], publicKeys: Set<[UInt8]> = []) {
        self.serials = Set(serials.map(SerialNumber.magnitude))
        self.publicKeys = publicKeys
    }

    /// - Parameters:
    ///   - serials: of a chain, leaf first.
    ///   - keys: digests of its known keys. A registration keeps its own key, the attestation key and the anchor; of the
    ///     certificates between them it keeps only the serial numbers.
    func judge(
        serials chain: [[UInt8]], keys: @autoclosure () -> [[UInt8]], in appraisal: inout Appraisal
    ) throws(Rejection) {
        guard !serials.isEmpty || !publicKeys.isEmpty else { return appraisal.skip("denied") }
        try appraisal.check("denied") { () throws(Rejection) in
            for (index, serial) in chain.enumerated() where serials.contains(SerialNumber.magnitude(serial)) {
                throw Rejection(.revoked, "certificate \(index) of the chain stands on the operator's own list, by its number")
            }
            guard publicKeys.isEmpty || publicKeys.isDisjoint(with: keys()) else {
                throw Rejection(.revoked, "a key of the chain stands on the operator's own list")
            }
        }
    }
}
