package import AssayCore
import AssayEncoding
package import AssaySigning

/// A result before its signature: the exact bytes that are signed, and what becomes of them.
package struct ResultDraft: Sendable {
    private enum Form: Sendable {
        case jose
        case cose(COSEWriter, payload: [UInt8])
    }

    package let shape: ResultShape
    package let audience: String
    /// `jti` or `cti`, 16 bytes. In JSON it is base64url.
    package let identifier: [UInt8]
    package let expiresAt: Timestamp
    package let toBeSigned: [UInt8]
    private let signer: any Signer
    private let form: Form

    private init(_ shape: ResultShape, _ terms: ResultTerms, _ toBeSigned: [UInt8], _ form: Form) {
        (self.shape, audience, identifier) = (shape, terms.audience.name, terms.identifier)
        signer = terms.key.signer
        expiresAt = Timestamp(unixSeconds: terms.expiresAt)
        (self.toBeSigned, self.form) = (toBeSigned, form)
    }

    init(_ shape: ResultShape, _ terms: ResultTerms, _ writer: JOSEWriter, _ claims: [UInt8]) {
        self.init(shape, terms, writer.signingInput(claims), .jose)
    }

    init(_ shape: ResultShape, _ terms: ResultTerms, _ writer: COSEWriter, _ payload: [UInt8]) {
        self.init(shape, terms, writer.toBeSigned(payload), .cose(writer, payload: payload))
    }

    /// The token: ASCII text, or CBOR if the shape is binary.
    ///
    /// - Parameter signature: of `toBeSigned`, as JOSE and COSE have it (`Signer.signRaw`).
    package func token(signature: [UInt8]) -> [UInt8] {
        switch form {
        case .jose: JOSEWriter.token(toBeSigned, signature: signature)
        case .cose(let writer, let payload): writer.message(payload, signature: signature)
        }
    }

    /// Signs the draft. Throws if the key cannot be used now: the verdict holds all the same.
    package func signed() async throws(SigningError) -> SignedResult {
        let token = token(signature: try await signer.signRaw(toBeSigned))
        return SignedResult(
            shape: shape, audience: audience,
            outcome: .signed(token: token, identifier: identifier, expiresAt: expiresAt))
    }
}
