import AssayCore
import Crypto

/// P9: what binds the token to the request.
extension PlayIntegrityVerifier {
    /// Nonce or request hash, and exactly one of them.
    func checkBinding(_ payload: PlayPayload, _ binding: Binding) throws(Rejection) {
        switch (payload.nonce, payload.requestHash) {
        case (let nonce?, nil):
            guard policy.kinds.contains(.classic) else {
                throw Rejection(.requestHashMismatch, "the app takes tokens of standard requests only")
            }
            try Self.checkNonce(nonce, binding)
        case (nil, let hash?):
            guard policy.kinds.contains(.standard) else {
                throw Rejection(.nonceMismatch, "the app takes tokens of classic requests only")
            }
            try Self.checkRequestHash(hash, binding)
        case (nil, nil): throw Rejection(.requestHashMismatch, "the token is bound to nothing")
        case (_?, _?): throw Rejection(.requestHashMismatch, "the token has a nonce and a request hash")
        }
    }

    /// The nonce is the client data in base64url, with or without padding.
    private static func checkNonce(_ nonce: String, _ binding: Binding) throws(Rejection) {
        guard let bytes = Base64.decodeURL(optionallyPadded: nonce) else {
            throw Rejection(.nonceMismatch, "the nonce is not base64url (\(misspelling(of: nonce)))")
        }
        guard bytes != binding.clientData else { return }
        guard !bytes.isEmpty else { throw Rejection(.nonceMismatch, "the nonce is empty") }
        let digests = ComparedBytes(SHA256.bytes(of: bytes), expected: SHA256.bytes(of: binding.clientData))
        throw Rejection(
            .nonceMismatch,
            "the nonce is that of other client data: it has \(bytes.count) bytes with the SHA-256 \(digests.found), expected "
                + "\(binding.clientData.count) with \(digests.expected)")
    }

    /// The request hash is the hash of the client data in base64url, with or without padding.
    private static func checkRequestHash(_ text: String, _ binding: Binding) throws(Rejection) {
        guard let hash = Base64.decodeURL(optionallyPadded: text) else {
            throw Rejection(.requestHashMismatch, "the request hash is not base64url (\(misspelling(of: text)))")
        }
        guard hash != binding.clientDataHash else { return }
        let hashes = ComparedBytes(hash, expected: binding.clientDataHash)
        throw Rejection(.requestHashMismatch, "the request hash is \(hashes.found), expected \(hashes.expected)")
    }

    private static func misspelling(of text: String) -> String {
        Base64.misspelling(ofURL: text) ?? "its padding is wrong"
    }
}
