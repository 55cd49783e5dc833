import AssayCore
import AssayEncoding
import AssaySigning
import Crypto

@testable import AssayResults

/// An issuer with a key, an app's rule, and an accepted verdict of a device whose key signs messages.
enum Sample {
    static let issuer = "https://assay.example.com"
    static let simulatedIssuer = "https://assay.example.com/simulated"
    static let audience = "https://uploads.example.com"
    static let otherAudience = "https://uploads.example.com/archive"
    static let decidedAt = Timestamp(unixMilliseconds: 1_790_000_000_250)
    static let now = decidedAt.adding(milliseconds: 1000)
    static let secret = [UInt8](repeating: 7, count: 32)
    static let nonce = Array("nonce-of-the-audience".utf8)
    static let challenge = [UInt8](repeating: 0xC4, count: 54)
    static let place = ResultStatusReference(uri: "https://assay.example.com/v1/status/3", index: 70_001)

    static func key(
        _ algorithm: SigningAlgorithm = .p256, simulated: Bool = false, certified: Bool = true
    ) throws -> ResultKey {
        let signer = FileSigner(SigningKey.random(algorithm))
        let issuer = ResultIssuer(
            simulated ? .simulatedDevices : .devices, address: simulated ? simulatedIssuer : Sample.issuer)
        let certificates = certified ? [certificate(of: signer.publicKey)] : []
        return try found(ResultKey(signer, issuer: issuer, certificates: certificates), "a key that has a JWK")
    }

    /// A certificate by its form alone: its signature is none.
    static func certificate(of publicKey: [UInt8]) -> [UInt8] {
        let algorithm = SigningAlgorithm.p256.signatureIdentifier
        let validity = DERWriter.sequence([
            DERWriter.time(decidedAt), DERWriter.time(decidedAt.adding(milliseconds: 86_400_000)),
        ])
        let contents = DERWriter.sequence([
            DERWriter.context(0, [DERWriter.integer(2)]), DERWriter.integer(1), algorithm, DERWriter.sequence([]), validity,
            DERWriter.sequence([]), publicKey,
        ])
        return DERWriter.sequence([contents, algorithm, DERWriter.bitString([0])])
    }

    static func keySet(_ keys: ResultKey...) throws -> JSONWebKeySet {
        let members = keys.map { key in
            let identifier = Base64.url.encode(key.identifier)
            return String(decoding: key.webKey.text.dropLast(), as: UTF8.self) + ",\"kid\":\"\(identifier)\",\"use\":\"sig\"}"
        }
        return try JSONWebKeySet(parsing: Array("{\"keys\":[\(members.joined(separator: ","))]}".utf8))
    }

    static func rule(_ naming: ResultRule.DeviceNaming = .pairwise) -> ResultRule {
        var rule = ResultRule(shapes: Set(ResultShape.allCases), audiences: [audience, otherAudience])
        rule.deviceNaming = naming
        rule.clientID = "https://client.example.com"
        rule.wallet = ResultRule.Wallet(
            name: "Example \"Wallet\"", version: "2.1.0", certification: "https://wallet.example.com/certificate",
            link: "https://wallet.example.com")
        return rule
    }

    static func composer(_ naming: ResultRule.DeviceNaming = .pairwise) -> ResultComposer {
        ResultComposer(rule(naming), secret: secret)
    }

    static let deviceKey = P256.Signing.PrivateKey().publicKey

    static func facts(simulated: Bool = false) throws -> ResultFacts {
        ResultFacts(
            app: try found(AppID("photos"), "an app"), purpose: .assert, formats: [.keySignature], assurance: .hardware,
            device: DeviceID(bytes: Array(0..<16)), deviceKey: Array(deviceKey.derRepresentation),
            payloadHash: [UInt8](repeating: 0xAB, count: 32), challenge: challenge,
            policyDigest: [UInt8](repeating: 0x51, count: 32), requestID: [UInt8](repeating: 0x1D, count: 16),
            decidedAt: decidedAt, simulated: simulated, confidence: .mediumHigh, limits: [.relay, .attestedEarlier],
            json: { Array("{\"decision\":\"accepted\",\"findings\":[]}".utf8) }, message: { [0x08, 0x01] })
    }

    static func draft(
        _ shape: ResultShape, by key: ResultKey, _ facts: ResultFacts? = nil, nonce: [UInt8] = nonce,
        status: ResultStatusReference? = nil, audience: String = audience
    ) throws -> ResultDraft {
        let request = ResultRequest(shape: shape, audience: audience, nonce: nonce)
        let facts = try facts ?? self.facts(simulated: key.issuer.kind == .simulatedDevices)
        return try composer().draft(request, facts, under: key, status: status, at: now)
    }

    static func token(
        _ shape: ResultShape, by key: ResultKey, _ facts: ResultFacts? = nil, nonce: [UInt8] = nonce,
        status: ResultStatusReference? = nil, audience: String = audience
    ) async throws -> [UInt8] {
        let draft = try draft(shape, by: key, facts, nonce: nonce, status: status, audience: audience)
        return draft.token(signature: try await key.signer.signRaw(draft.toBeSigned))
    }

    /// What a reader expects of the token that `token` makes.
    static func expectation(_ shape: ResultShape, simulated: Bool = false) -> ResultExpectation {
        ResultExpectation(
            shape, issuer: simulated ? simulatedIssuer : issuer, audience: audience, isSimulated: simulated, at: now)
    }
}

/// A value that a test rests on.
func found<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw Missing(what: what) }
    return value
}

struct Missing: Error { let what: String }
