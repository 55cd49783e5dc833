import AssayCore
import Crypto

/// Names uploads: at random, or for a caller that gave an idempotency key by that key under a secret of the ledger, so that every daemon finds the
/// upload of a request that comes again.
package struct UploadNames: Sendable {
    private let secret: SymmetricKey

    /// - Parameter secret: the ledger's, 32 bytes.
    package init(secret: [UInt8]) { self.secret = SymmetricKey(data: secret) }

    /// - Parameter key: the caller's idempotency key; empty: none.
    func name(of owner: UploadOwner, key: [UInt8]) -> UploadID {
        guard !key.isEmpty else { return .random() }
        var fields = FieldDigest("assay.upload.v1")
        fields.append(owner.app.text)
        fields.append(owner.caller)
        fields.append(key)
        let code = HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: secret)
        return UploadID(bytes: Array(code.prefix(UploadID.length))) ?? .random()
    }
}
