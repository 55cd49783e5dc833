import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import CryptoExtras
import Foundation
import SafetyNet
import Testing

/// A test web PKI and a response signed by its leaf; each part can be changed.
struct SampleResponse {
    static let now = Timestamp(unixMilliseconds: 1_627_648_816_000)
    static let nonce = Array("a nonce of the app's".utf8)

    // Keys take long to make; the tests only need two different ones.
    private static let rootKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let leafKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let rsaWithSHA256 = DERWriter.sequence([
        DERWriter.objectIdentifier("1.2.840.113549.1.1.11"), DERWriter.element([0x05], []),
    ])

    var names: [SubjectAlternativeName] = [.dns("attest.android.com")]
    var commonName = "attest.android.com"
    var notAfter = Self.now.adding(milliseconds: 86_400_000)
    var payload: JSONDraft
    var header = JSONDraft.object([.init("alg", .text("RS256"))])
    var certificates: [[UInt8]]?
    var policy = SafetyNetPolicy()

    init() {
        var payload = JSONDraft.object([])
        payload["nonce"] = .text(Base64.standard.encode(Self.nonce))
        payload["timestampMs"] = .integer(Self.now.unixMilliseconds)
        payload["apkPackageName"] = .text("com.example.shop")
        payload["ctsProfileMatch"] = .boolean(true)
        payload["basicIntegrity"] = .boolean(true)
        self.payload = payload
    }

    private func certificate(_ builder: CertificateBuilder, by key: _RSA.Signing.PrivateKey) throws -> [UInt8] {
        let signature = try key.signature(for: Data(builder.toBeSigned), padding: .insecurePKCS1v1_5)
        return DERWriter.sequence([
            builder.toBeSigned, Self.rsaWithSHA256, DERWriter.bitString(Array(signature.rawRepresentation)),
        ])
    }

    private func builder(_ subject: String, _ key: _RSA.Signing.PrivateKey) -> CertificateBuilder {
        CertificateBuilder(
            serial: [1], algorithm: .named(Self.rsaWithSHA256, .sha256), issuer: .init(commonName: "test root"),
            notBefore: Self.now.adding(milliseconds: -86_400_000), notAfter: notAfter, subject: .init(commonName: subject),
            subjectPublicKeyInfo: Array(key.publicKey.derRepresentation), extensions: [])
    }

    func anchor() throws -> TrustAnchor {
        let key = try Self.rootKey.get()
        var root = builder("test root", key)
        root.extensions = [.basicConstraints(ca: true), .keyUsage([.keyCertSign])]
        return try TrustAnchor(name: "test root", pem: PEM.encode(try certificate(root, by: key)), simulated: true)
    }

    func leaf() throws -> [UInt8] {
        var leaf = builder(commonName, try Self.leafKey.get())
        leaf.extensions = names.isEmpty ? [] : [.subjectAlternativeNames(names)]
        return try certificate(leaf, by: try Self.rootKey.get())
    }

    /// The response, signed by the leaf's key, or by the root's as another key.
    func response(forged: Bool = false) throws -> String {
        var header = header
        if header["x5c"] == nil {
            header["x5c"] = .texts(try (certificates ?? [leaf()]).map { Base64.standard.encode($0) })
        }
        let signed = Base64.url.encode(header.bytes) + "." + Base64.url.encode(payload.bytes)
        let key = try (forged ? Self.rootKey : Self.leafKey).get()
        let signature = try key.signature(for: Data(signed.utf8), padding: .insecurePKCS1v1_5)
        return signed + "." + Base64.url.encode(signature.rawRepresentation)
    }

    func judge(_ response: String, nonce: [UInt8] = Self.nonce, at now: Timestamp = Self.now) throws -> Appraisal {
        SafetyNetVerifier(anchors: [try anchor()], policy: policy).appraise(
            Evidence(format: .safetyNet, keyID: [], body: Array(response.utf8)),
            in: AppraisalContext(binding: Binding(callerOwned: nonce), now: now))
    }

    /// The code of the response with a change; `nil` if it is accepted.
    static func code(_ change: (inout SampleResponse) -> Void) throws -> String? {
        var sample = SampleResponse()
        change(&sample)
        return try sample.judge(sample.response()).failure?.code
    }
}
