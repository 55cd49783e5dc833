import AppAttest
import AssayCertificates
import AssayCore
import Crypto

/// A registered key that signs assertions.
struct SampleAssertion {
    let key = P256.Signing.PrivateKey()
    var appID = "PREFIX.example.app"
    var flags: UInt8 = 0x40
    var counter: UInt32 = 1
    var extensions: [UInt8] = []
    let clientDataHash = [UInt8](repeating: 7, count: 32)

    var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }
    var keyID: [UInt8] { Array(SHA256.hash(data: publicKey)) }

    var authenticatorData: [UInt8] {
        Array(SHA256.hash(data: Array(appID.utf8))) + [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
            + extensions
    }

    /// The nonce is a message to the key: it is hashed once more.
    func signature(over data: [UInt8]) throws -> [UInt8] {
        let nonce = SHA256.hash(data: data + clientDataHash)
        return Array(try key.signature(for: SHA256.hash(data: Array(nonce))).derRepresentation)
    }

    static func object(_ signature: [UInt8], _ data: [UInt8]) -> [UInt8] {
        [0xA2, 0x69] + Array("signature".utf8) + bytes(signature) + [0x71] + Array("authenticatorData".utf8) + bytes(data)
    }

    static func bytes(_ bytes: [UInt8]) -> [UInt8] {
        (bytes.count < 24 ? [0x40 | UInt8(bytes.count)] : [0x58, UInt8(bytes.count)]) + bytes
    }

    func evidence(_ body: [UInt8]? = nil) throws -> Evidence {
        Evidence(
            format: AppAttestAssertionVerifier.format, keyID: keyID,
            body: try body ?? Self.object(signature(over: authenticatorData), authenticatorData))
    }

    func device(
        counter: UInt32 = 0, environment: String = "production", anchor: [UInt8]? = nil, rpIDHash: [UInt8]? = nil,
        format: EvidenceFormat = AppAttestAttestationVerifier.format, simulated: Bool = false, claims extra: Claims = Claims()
    ) throws -> Device? {
        guard let app = AppID("tests") else { return nil }
        var claims = Claims()
        claims.add("rp_id_hash", .bytes(rpIDHash ?? Array(SHA256.hash(data: Array(appID.utf8)))))
        claims.add("platform", .text("ios"))
        claims.add(contentsOf: extra)
        return Device(
            id: DeviceID.random(), app: app, subject: nil,
            registration: Registration(
                format: format, keyID: keyID, publicKey: publicKey, environment: environment,
                anchor: anchor ?? TrustAnchor.appAttest.first?.publicKeySHA256 ?? [], claims: claims, chainSerials: [],
                receipt: [],
                simulated: simulated),
            registeredAt: Timestamp(unixSeconds: 0), counter: counter)
    }

    func context(_ device: Device?) -> AppraisalContext {
        AppraisalContext(
            binding: Binding(callerOwned: clientDataHash), facts: Facts(device: device),
            now: Timestamp(unixSeconds: 1_800_000_000))
    }
}
