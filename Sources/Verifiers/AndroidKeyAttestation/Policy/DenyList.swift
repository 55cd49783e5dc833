import AssayCore

/// What an app's operator refuses though Google's list does not, or does not yet: keys that were found for sale, a batch that
/// was caught. It counts whether or not a list of revoked certificates is consulted.
package struct DenyList: Hashable, Sendable {
    /// Serial numbers of certificates, as magnitudes.
    package let serials: Set<[UInt8]>
    /// SHA-256 of SubjectPublicKeyInfos.
    package let publicKeys: Set<[UInt8]>

    /// - Parameter serials: unsigned big-endian integers. The number 1, which most attested keys have, would deny them all.
    package init(serials: Set<[UInt8]> = [], publicKeys: Set<[UInt8]> = []) {
        self.serials = Set(serials.map(SerialNumber.magnitude))
        self.publicKeys = publicKeys
    }

    /// - Parameters:
    ///   - serials: of a chain, leaf first.
    ///   - keys: digests of the keys that are known of it. A registration keeps its own, the one that attested it, and the
    ///     anchor's; of what lies between only the serial numbers.
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
