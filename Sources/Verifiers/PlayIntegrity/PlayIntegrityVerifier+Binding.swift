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
        let bytes = Base64.decodeURL(optionallyPadded: nonce)
        guard bytes != binding.clientData else { return }
        let cause = binding.slipsOfData.explanation { $0 == bytes || nonce.utf8.elementsEqual($0) }
        throw Rejection(.nonceMismatch, sentence(aboutNonce: nonce, bytes, binding) + cause)
    }

    private static func sentence(aboutNonce nonce: String, _ bytes: [UInt8]?, _ binding: Binding) -> String {
        guard let bytes else { return "the nonce is not base64url (\(misspelling(of: nonce)))" }
        guard !bytes.isEmpty else { return "the nonce is empty" }
        let digests = ComparedBytes(SHA256.bytes(of: bytes), expected: SHA256.bytes(of: binding.clientData))
        return
            "the nonce is that of other client data: it has \(bytes.count) bytes with the SHA-256 \(digests.found), expected "
            + "\(binding.clientData.count) with \(digests.expected)"
    }

    /// The request hash is the hash of the client data in base64url, with or without padding.
    private static func checkRequestHash(_ text: String, _ binding: Binding) throws(Rejection) {
        let hash = Base64.decodeURL(optionallyPadded: text)
        guard hash != binding.clientDataHash else { return }
        let cause = binding.slipsOfHash.explanation { $0 == hash || text.utf8.elementsEqual($0) }
        guard let hash else {
            throw Rejection(.requestHashMismatch, "the request hash is not base64url (\(misspelling(of: text)))" + cause)
        }
        let hashes = ComparedBytes(hash, expected: binding.clientDataHash)
        throw Rejection(.requestHashMismatch, "the request hash is \(hashes.found), expected \(hashes.expected)" + cause)
    }

    private static func misspelling(of text: String) -> String {
        Base64.misspelling(ofURL: text, allowsPadding: true) ?? "it has another form"
    }
}
