import AssayCore
import AssayEncoding
package import AssaySigning

/// Signs status lists under the key of an issuer.
package struct StatusListSigner: Sendable {
    package let key: ResultKey
    private let jose: JOSEWriter
    private let cose: COSEWriter

    package init(_ key: ResultKey) {
        self.key = key
        let identifier = Base64.url.encode(key.identifier)
        let header = [("alg", key.webKey.curve.algorithm), ("kid", identifier), ("typ", StatusListForm.type)]
        jose = JOSEWriter(
            header: JSONObject(header.map { .init(name: Array($0.utf8), value: .string(Array($1.utf8))) }))
        cose = COSEWriter(protected: [
            (COSELabel.algorithm, CBORWriter.integer(key.signer.algorithm.coseIdentifier)),
            (COSELabel.keyIdentifier, CBORWriter.bytes(key.identifier)),
            (COSELabel.type, CBORWriter.text(StatusListForm.cwt.mediaType)),
        ])
    }

    /// The token: ASCII text, or a COSE_Sign1 under tag 18 and no other (§5.2).
    package func sign(_ claims: StatusListClaims, as form: StatusListForm) async throws(SigningError) -> [UInt8] {
        switch form {
        case .jwt:
            let input = jose.signingInput(claims.json)
            return JOSEWriter.token(input, signature: try await key.signer.signRaw(input))
        case .cwt:
            let payload = claims.cbor
            return cose.message(payload, signature: try await key.signer.signRaw(cose.toBeSigned(payload)))
        }
    }
}
