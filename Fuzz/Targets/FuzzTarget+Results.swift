import AssayCore
import AssayEncoding
import AssayResults
import AssaySigning

extension FuzzTarget {
    static let resultKey = SigningKey.random(.p256)
    static let resultIssuer = ResultIssuer(.devices, address: "https://fuzz.example")
    private static let resultKeyText = JSONWebKey(subjectPublicKeyInfo: resultKey.publicKey).map { key in
        (identifier: key.thumbprint, members: key.text.dropLast())
    }

    static let resultKeySet: JSONWebKeySet? = {
        guard let text = resultKeyText else { return nil }
        let identifier = Array(",\"kid\":\"\(Base64.url.encode(text.identifier))\"}]}".utf8)
        return try? JSONWebKeySet(parsing: Array("{\"keys\":[".utf8) + text.members + identifier)
    }()
    private static let resultReader = resultKeySet.map { ResultReader(keys: $0) }

    /// The bytes as a key set, as a token of each shape, and as claims that the key signed: of other tokens no claim is read.
    static func results(_ bytes: [UInt8]) {
        _ = try? JSONWebKeySet(parsing: bytes)
        _ = try? ResultReader.statedShape(of: bytes)
        for shape in ResultShape.allCases { read(bytes, as: shape) }
        for shape in [ResultShape.earJWT, .session, .clientAttestation, .plainJWS] {
            read(signedText(bytes, ResultProfiles.type(of: shape)), as: shape)
        }
        read(signedMessage(bytes, ResultProfiles.type(of: .earCWT)), as: .earCWT)
        statusLists(bytes)
    }

    private static func read(_ token: [UInt8], as shape: ResultShape) {
        let expected = ResultExpectation(shape, issuer: resultIssuer.address, audience: "fuzz", at: now)
        _ = try? resultReader?.read(token, expecting: expected)
    }

    static func signedText(_ claims: [UInt8], _ type: String) -> [UInt8] {
        let identifier = Base64.url.encode(resultKeyText?.identifier ?? [])
        let members = [("alg", "ES256"), ("kid", identifier), ("typ", type)]
        let writer = JOSEWriter(
            header: JSONObject(
                members.map { JSONObject.Member(name: Array($0.0.utf8), value: .string(Array($0.1.utf8))) }))
        let input = writer.signingInput(claims)
        return JOSEWriter.token(input, signature: (try? resultKey.signRaw(input)) ?? [])
    }

    static func signedMessage(_ claims: [UInt8], _ type: String) -> [UInt8] {
        let writer = COSEWriter(protected: [
            (1, CBORWriter.integer(-7)), (4, CBORWriter.bytes(resultKeyText?.identifier ?? [])),
            (16, CBORWriter.text(type)),
        ])
        return writer.message(claims, signature: (try? resultKey.signRaw(writer.toBeSigned(claims))) ?? [])
    }
}
