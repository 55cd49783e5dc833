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

    init(_ algorithm: SigningAlgorithm, identifier: [UInt8], certificates: [[UInt8]], issuer: String) {
        self.issuer = JSONClaims.encoded(issuer)
        let name = algorithm.joseName
        func named(_ shape: ResultShape, _ content: PlainContent = .verdict) -> JOSEWriter {
            Self.writer(
                name, ResultProfiles.type(of: shape, content), "kid", .string(Array(Base64.url.encode(identifier).utf8)))
        }
        func certified(_ shape: ResultShape) -> JOSEWriter? {
            guard !certificates.isEmpty else { return nil }
            let chain = certificates.map { JSONValue.string(Array(Base64.standard.encode($0).utf8)) }
            return Self.writer(name, ResultProfiles.type(of: shape), "x5c", .array(chain))
        }
        (earJWT, session, clientAttestation) = (named(.earJWT), named(.session), named(.clientAttestation))
        (walletInstance, keyAttestation, plainJWS) = (certified(.walletInstance), certified(.keyAttestation), named(.plainJWS))
        let common = [
            (key: COSELabel.algorithm, value: CBORWriter.integer(algorithm.coseIdentifier)),
            (key: COSELabel.keyIdentifier, value: CBORWriter.bytes(identifier)),
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
