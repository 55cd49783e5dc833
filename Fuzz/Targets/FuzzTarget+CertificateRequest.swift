import AssayCore
import AssayProvisioning

extension FuzzTarget {
    /// A certification request, whose key must be one that a certificate may have.
    static func certificateRequest(_ bytes: [UInt8]) {
        guard let request = try? CertificateRequest(der: bytes), let set = try? AuthoritySet([]) else { return }
        guard (try? set.requestedKey(bare: request.key.publicKey))?.curve == request.key.curve else {
            fatalError("a request gave a key that cannot be certified")
        }
    }
}
