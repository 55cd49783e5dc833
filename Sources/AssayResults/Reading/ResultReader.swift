package import AssayCore
import AssayEncoding

/// Reads results and checks them: against the issuer's keys and against what the reader expects. A token is of the expected shape or refused: nothing
/// that is meant for another use passes.
///
/// It takes what this package writes, and is stricter than the texts demand: headers have no other members, messages one spelling. The status of a
/// token is looked up elsewhere.
package struct ResultReader: Sendable {
    /// The longest token, in bytes. A verdict with its evidence model has below 64 KiB.
    package static let sizeLimit = 262_144

    private let keys: JSONWebKeySet

    /// - Parameter keys: of the one issuer whose results are read.
    package init(keys: JSONWebKeySet) { self.keys = keys }

    /// Reads a token that must be as expected.
    ///
    /// - Parameter token: ASCII text, or CBOR if the shape is binary.
    package func read(_ token: [UInt8], expecting expected: ResultExpectation) throws(ResultFault) -> VerifiedResult {
        let opened = try OpenedResult(token, as: expected, by: keys)
        let claims = ClaimFields(opened.claims)
        let (issuedAt, expiresAt) = try expected.checkTerms(claims)
        let details = try ShapeChecks(expected.shape, expected.content, claims).check()
        guard try details.optionalFlag("simulated") ?? false == expected.isSimulated else {
            throw ResultFault(
                .wrongKindOfDevice, details.place("simulated"),
                expected.isSimulated ? "is not true: the device is no simulated one" : "the device is a simulated one")
        }
        return VerifiedResult(
            shape: expected.shape, keyIdentifier: opened.key.thumbprint, certifiedBy: opened.certifiedBy?.thumbprint,
            claims: opened.claims, holds: expected.content, content: opened.content,
            issuedAt: issuedAt, expiresAt: expiresAt, isSimulated: expected.isSimulated)
    }

    /// The shape that a token says it has, by its header. Nothing is verified: for a person, or to choose what to expect.
    package static func statedShape(of token: [UInt8]) throws(ResultFault) -> ResultShape { try stated(by: token).shape }

    /// The same, with what a plain result says that it holds.
    package static func stated(by token: [UInt8]) throws(ResultFault) -> (shape: ResultShape, content: PlainContent) {
        guard token.count <= sizeLimit else {
            throw ResultFault(.tooLarge, "token", "\(token.count) bytes, limit \(sizeLimit)")
        }
        let stated = try token.first == 0xD2 ? statedByCOSE(token) : statedByJOSE(token)
        for content in PlainContent.allCases {
            let shapes = ResultShape.allCases.filter { shape in
                let isOfType =
                    ResultProfiles.type(of: shape, content).hasBytes(of: stated.type)
                    || shape == .keyAttestation && ResultProfiles.otherTypeOfKeyAttestation.hasBytes(of: stated.type)
                return isOfType && (stated.hasCertificates || !shape.hasCertificates)
            }
            // A wallet's attestation is a client attestation, and says more.
            if let shape = stated.isOfWallet ? shapes.last : shapes.first { return (shape, content) }
        }
        throw ResultFault(.wrongType, "header.typ", "is that of no result")
    }

    /// What a token says of its shape.
    private struct Stated {
        let type: String
        var hasCertificates = false
        /// It has a claim of wallets' attestations.
        var isOfWallet = false
    }

    private static func statedByJOSE(_ token: [UInt8]) throws(ResultFault) -> Stated {
        let jws = try ResultFault.wrapping("token") { () throws(Rejection) in try CompactJWS(parsing: token[...]) }
        let header = ClaimFields(jws.header.fields.object, at: "header")
        var stated = Stated(type: try header.optionalText("typ") ?? "", hasCertificates: header.has("x5c"))
        if case .object(let claims)? = try? JSONReader.parse(jws.payload[...], code: .malformedToken) {
            stated.isOfWallet = claims["wallet_name".utf8] != nil
        }
        return stated
    }

    private static func statedByCOSE(_ token: [UInt8]) throws(ResultFault) -> Stated {
        let message = try ResultFault.wrapping("token") { () throws(Rejection) in try SignedMessage(parsing: token[...]) }
        return Stated(type: try message.protected.text(COSELabel.type, "header.typ"))
    }
}

/// A token that is as expected. Only ``ResultReader`` makes one.
package struct VerifiedResult: Sendable {
    package let shape: ResultShape
    /// RFC 7638 thumbprint of the key that signed it, 32 bytes.
    package let keyIdentifier: [UInt8]
    /// The same of the published key that certified it; `nil`: it is published itself.
    package let certifiedBy: [UInt8]?
    /// Every claim, those of CBOR by the names that they have in JSON.
    package let claims: JSONObject
    /// What a plain result holds; `verdict` of every other shape.
    package let holds: PlainContent
    /// The protobuf of what a COSE message holds; `nil` in every other shape.
    package let content: [UInt8]?
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let isSimulated: Bool

    fileprivate init(
        shape: ResultShape, keyIdentifier: [UInt8], certifiedBy: [UInt8]?, claims: JSONObject, holds: PlainContent,
        content: [UInt8]?, issuedAt: Timestamp, expiresAt: Timestamp, isSimulated: Bool
    ) {
        (self.shape, self.keyIdentifier, self.certifiedBy, self.claims) = (shape, keyIdentifier, certifiedBy, claims)
        (self.holds, self.content) = (holds, content)
        (self.issuedAt, self.expiresAt, self.isSimulated) = (issuedAt, expiresAt, isSimulated)
    }
}
