import AndroidKeyAttestation
import AssayCore
import AssaySimulator
import KeySignature

extension FuzzTarget {
    /// Kinds of keys whose signatures have an encoding, or are long.
    static let signingKinds: [TestKey.Kind] = [.p256, .p384, .ed25519, .mlDSA65]

    static func signingKey(_ kind: TestKey.Kind) -> TestKey? { try? TestKey(kind, seed: "fuzz", label: "registered") }

    private static let signingDevices: [Device] = signingKinds.compactMap { kind in
        guard let key = signingKey(kind), let app = AppID("fuzz") else { return nil }
        let registration = Registration(
            format: .keyAttestation, keyID: key.subjectPublicKeyInfoDigest, publicKey: key.subjectPublicKeyInfo,
            environment: "", anchor: [], claims: Claims(), chainSerials: [], receipt: [], simulated: true)
        return Device(id: .random(), app: app, subject: nil, registration: registration, registeredAt: now)
    }

    /// The bytes as a body, and as a signature by each algorithm, under a registered key of each kind.
    static func keySignature(_ bytes: [UInt8]) {
        let judge = AndroidDeviceAppraiser(anchors: [], policy: AndroidPolicy(apps: nil))
        let verifier = KeySignatureVerifier(judges: [judge])
        let bodies = [bytes] + KeySignatureAlgorithm.allCases.map { Evidence.join([[$0.rawValue], bytes]) }
        for device in signingDevices {
            for body in bodies {
                let evidence = Evidence(format: .keySignature, keyID: device.registration.keyID, body: body)
                _ = verifier.use(of: evidence, for: device.app, vouched: bytes)
                _ = verifier.appraise(
                    evidence, in: AppraisalContext(binding: Binding(callerOwned: [1]), facts: Facts(device: device), now: now))
            }
        }
    }
}
