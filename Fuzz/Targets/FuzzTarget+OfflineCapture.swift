import AssayCore
import AssaySimulator
import KeySignature

extension FuzzTarget {
    static let offlineKey = signingKey(.p256)
    static let signedCapture = OfflineCapture(capturedAt: now, payload: Array("a photo\n".utf8))

    private static let offlineDevice: Device? = {
        guard let key = offlineKey, let app = AppID("fuzz") else { return nil }
        let registration = Registration(
            format: .keyAttestation, keyID: key.subjectPublicKeyInfoDigest, publicKey: key.subjectPublicKeyInfo,
            environment: "", anchor: [], claims: Claims(), chainSerials: [], receipt: [], simulated: true)
        return Device(id: .random(), app: app, subject: nil, registration: registration, registeredAt: now)
    }()

    /// Takes captures of every registered device: the signature alone decides.
    private struct NoObjection: RegisteredDeviceAppraiser {
        let format: EvidenceFormat = .keyAttestation
        var offline: OfflineRule? { OfflineRule(maxAge: 60_000) }

        func judge(_ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal) throws(Rejection) {
            appraisal.assurance = .hardware
        }
    }

    /// The bytes as a body, as the signature of a capture, as its time and hash, and as the hash alone. None but the capture that the key signed is
    /// accepted.
    static func offlineCapture(_ bytes: [UInt8]) {
        guard let device = offlineDevice else { return }
        let verifier = OfflineSignatureVerifier(app: device.app, judges: [NoObjection()])
        let signed = signedCapture
        let other = OfflineCapture(capturedAt: now, payloadHash: bytes)
        var bodies = [bytes, other.evidence(keyID: [], algorithm: 1, signature: bytes).body]
        for algorithm in KeySignatureAlgorithm.allCases {
            bodies.append(signed.evidence(keyID: [], algorithm: algorithm.rawValue, signature: bytes).body)
        }
        bodies.append(Evidence.join([[1], bytes, Array(bytes.prefix(8)), Array(bytes.suffix(32))]))
        for body in bodies {
            let evidence = Evidence(format: .offlineSignature, keyID: device.registration.keyID, body: body)
            _ = try? verifier.locate(evidence)
            let context = AppraisalContext(binding: .inEvidence, facts: Facts(device: device), now: now)
            guard verifier.appraise(evidence, in: context).failure == nil else { continue }
            guard let parts = evidence.parts.flatMap(OfflineCapture.Parts.init), parts.capture == signed else {
                fatalError("a capture is accepted that the key did not sign")
            }
        }
    }
}
