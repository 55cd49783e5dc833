import AssayCore
import AssaySimulator
import Crypto
import Foundation

/// The makers of devices in this run, whose roots the daemons trust.
struct World: Sendable {
    static let appID = "ABCDE12345.com.example.camera"
    static let package = "com.example.camera"
    static let signer = [UInt8](repeating: 0x19, count: 32)

    /// Every kind of evidence, and certificates; one that requires payloads; one that takes no simulated devices; one with rates; fleets, whose
    /// keys are the cameras' own, or made by the daemon.
    static let apps = ["camera", "strict", "genuine", "rated", "fleet", "legacy"]
    static let provisioned = ["camera", "fleet", "legacy"]

    let authority = TestAuthority()
    let android = AndroidAuthority()
    let console = PlayConsole()
    /// A maker whose roots are not trusted.
    let stranger = TestAuthority()
}

/// Where the daemons have their folders.
struct ComparisonFolder {
    let world = World()
    private let folder: URL
    private let isKept: Bool

    init(keep: String?) throws {
        isKept = keep != nil
        folder =
            keep.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(path: "front-comparison-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() {
        if !isKept { try? FileManager.default.removeItem(at: folder) }
    }

    /// A folder with a configuration, or a copy of one with all that a daemon has left there.
    func make(_ name: String, copying other: String? = nil) throws -> URL {
        let place = folder.appending(path: name)
        if let other {
            try FileManager.default.copyItem(at: folder.appending(path: other), to: place)
        } else {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            try write(to: place)
        }
        return place
    }

    private func write(to place: URL) throws {
        let ca = try CameraAuthority(seed: Hex.encode(SecureRandom.bytes(16)), from: SystemClock().now())
        let caKey = try P256.Signing.PrivateKey(rawRepresentation: ca.issuingKey.privateBytes)
        var files = [
            "assayd.yaml.in": Self.configuration, "root.pem": world.authority.rootPEM,
            "issuing.pem": ca.issuingPEM + ca.rootPEM, "issuing.key": caKey.pemRepresentation,
            "decryption.key": Base64.standard.encode(world.console.decryptionKey),
            "verification.key": Base64.standard.encode(world.console.verificationKey),
        ]
        for root in AndroidAuthority.Root.allCases { files["android-\(root.rawValue).pem"] = try world.android.pem(root) }
        for (name, text) in files {
            guard
                FileManager.default.createFile(
                    atPath: place.appending(path: name).path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
        }
    }

    private static var configuration: String {
        let identities = "app_attest: {identities: [{app_id: \(World.appID)}]}"
        let signer = Hex.encode(World.signer)
        let roots = AndroidAuthority.Root.allCases.map { "android-\($0.rawValue).pem" }.joined(separator: ", ")
        let android = "android: {packages: [{name: \(World.package), signers: [\"\(signer)\"]}], revocation: {source: none}}"
        let play = """
            play_integrity: {packages: [\(World.package)], signers: ["\(signer)"], max_age: 1h, \
            keys: [{decryption_key_file: decryption.key, verification_key_file: verification.key}]}
            """
        let fleet = "manufacturer: Example, validation_endpoint: \"https://validate.example.org\""
        return """
            listen: [{tcp: 127.0.0.1:FRAMED}, {tcp: 127.0.0.1:HTTP, protocol: http}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            verdicts: {record: all, flood: {full_per_minute: 1000000}}
            trust: {test_roots: [root.pem, \(roots)]}
            provisioning:
              authorities: [{name: issuing-1, certificate: issuing.pem, key: issuing.key}]
            apps:
              camera:
                accept_simulated: true
                challenge: {ttl: 1h}
                binding: {embedded: {json_member: challenge, encoding: base64url}, caller_owned: {spend_evidence_for: 2h}}
                provisioning: {}
                certificate_bundle: {}
                \(identities)
                \(android)
                \(play)
              strict:
                accept_simulated: true
                challenge: {ttl: 1h}
                binding: {payload: required}
                max_devices_per_subject: 3
                \(identities)
                \(android)
                \(play.replacing("play_integrity: {", with: "play_integrity: {device_verdicts: [MEETS_STRONG_INTEGRITY], "))
              genuine:
                challenge: {ttl: 1h}
                \(identities)
                \(android)
              rated:
                accept_simulated: true
                challenge: {ttl: 1h}
                rates: {device: 2/d, address: 20/d}
                \(identities)
              fleet:
                challenge: {ttl: 1h}
                provisioning: {fleet: {\(fleet)}}
                certificate_bundle: {submissions: {warn: 4, block: 40}}
              legacy:
                challenge: {ttl: 1h}
                provisioning: {fleet: {\(fleet), generate_keys: true}}
                certificate_bundle: {split: deny}

            """
    }
}
