import AssayCore
import AssayEncoding
import AssaySigning

/// What all tokens of a key repeat: their headers, encoded once, and the issuer's name. A class, so that passing a key on costs one count for all of it.
final class ResultHeads: Sendable {
    /// `iss` as JSON.
    let issuer: [UInt8]
    let earJWT: JOSEWriter
    let earCWT: COSEWriter
    let session: JOSEWriter
    let clientAttestation: JOSEWriter
    /// `nil` for a key without certificates.
    let walletInstance: JOSEWriter?
    /// `nil` for a key without certificates.
    let keyAttestation: JOSEWriter?
    let plainJWS: JOSEWriter
    /// Members of the protected header of a COSE message with a verdict, beside its claims.
    let plainCOSE: [(key: Int64, value: [UInt8])]
    /// Of the answer to a look-up.
    let lookupJWS: JOSEWriter
    /// The same as `plainCOSE`, of the answer to a look-up.
    let lookupCOSE: [(key: Int64, value: [UInt8])]

    /// - Parameter identifier: what headers name the key by; `nil`: all have its certificates in place of it.
    init(_ algorithm: SigningAlgorithm, identifier: [UInt8]?, certificates: [[UInt8]], issuer: String) {
        self.issuer = JSONClaims.encoded(issuer)
        let name = algorithm.joseName
        let chain = JSONValue.array(certificates.map { .string(Array(Base64.standard.encode($0).utf8)) })
        func named(_ shape: ResultShape, _ content: PlainContent = .verdict) -> JOSEWriter {
            let type = ResultProfiles.type(of: shape, content)
            guard let identifier else { return Self.writer(name, type, "x5c", chain) }
            return Self.writer(name, type, "kid", .string(Array(Base64.url.encode(identifier).utf8)))
        }
        func certified(_ shape: ResultShape) -> JOSEWriter? {
            certificates.isEmpty ? nil : Self.writer(name, ResultProfiles.type(of: shape), "x5c", chain)
        }
        (earJWT, session, clientAttestation) = (named(.earJWT), named(.session), named(.clientAttestation))
        (walletInstance, keyAttestation, plainJWS) = (certified(.walletInstance), certified(.keyAttestation), named(.plainJWS))
        let common = [
            (key: COSELabel.algorithm, value: CBORWriter.integer(algorithm.coseIdentifier)),
            identifier.map { (key: COSELabel.keyIdentifier, value: CBORWriter.bytes($0)) }
                ?? (key: COSELabel.certificates, value: CBORWriter.array(certificates.map { CBORWriter.bytes($0) })),
        ]
        earCWT = COSEWriter(protected: common + [(COSELabel.type, CBORWriter.text(ResultProfiles.type(of: .earCWT)))])
        func plain(_ content: PlainContent) -> [(key: Int64, value: [UInt8])] {
            common + [
                (COSELabel.contentType, CBORWriter.text(ResultProfiles.contentTypeOfVerdict)),
                (COSELabel.type, CBORWriter.text(ResultProfiles.type(of: .plainCOSE, content))),
            ]
        }
        (plainCOSE, lookupCOSE, lookupJWS) = (plain(.verdict), plain(.lookup), named(.plainJWS, .lookup))
    }

    /// `alg`, the member that tells the key, and `typ`.
    private static func writer(_ algorithm: String, _ type: String, _ key: String, _ value: JSONValue) -> JOSEWriter {
        JOSEWriter(
            header: JSONObject([
                JSONObject.Member(name: Array("alg".utf8), value: .string(Array(algorithm.utf8))),
                JSONObject.Member(name: Array(key.utf8), value: value),
                JSONObject.Member(name: Array("typ".utf8), value: .string(Array(type.utf8))),
            ]))
    }
}
