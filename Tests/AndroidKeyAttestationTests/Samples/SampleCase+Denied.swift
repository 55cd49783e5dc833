import AssayCertificates
import AssayCore
import AssaySimulator

@testable import AndroidKeyAttestation

/// The operator's own deny list.
extension SampleCase {
    private static let serial: [UInt8] = [0x05, 0x20, 0x44, 0x97]

    static let denied: [SampleCase] = [
        SampleCase("the attestation key's certificate is denied, though no list is consulted", "revoked") {
            $0.edit = { $0.attestationSerial = serial }
            $0.policy.denied = DenyList(serials: [serial])
        },
        SampleCase("the attestation key's certificate is denied with zeros before its number", "revoked") {
            $0.edit = { $0.attestationSerial = serial }
            $0.policy.denied = DenyList(serials: [[0, 0] + serial])
        },
        SampleCase("an intermediate is denied", "revoked") {
            $0.changes = .genuine.certificate(2) { $0.serial = serial }
            $0.policy.denied = DenyList(serials: [serial])
        },
        SampleCase("the attested key is denied", "revoked") {
            let key = try $0.chain().key
            $0.policy.denied = DenyList(publicKeys: [key.keyID])
        },
        SampleCase("the key that attests is denied", "revoked") {
            $0.policy.denied = DenyList(publicKeys: [try $0.device().attestationKey.subjectPublicKeyInfoDigest])
        },
        SampleCase("the key of an intermediate is denied", "revoked") {
            let intermediate = try $0.chain().certificates[2]
            $0.policy.denied = DenyList(publicKeys: [try Certificate(der: intermediate[...]).publicKey.sha256])
        },
        SampleCase("the anchor's key is denied, and the root left out", "revoked") {
            $0.changes = .genuine.chain { $0.removeLast() }
            $0.policy.denied = DenyList(publicKeys: Set(try $0.trusted().map(\.publicKeySHA256)))
        },
        SampleCase("other numbers and keys are denied", "accepted") {
            $0.policy.denied = DenyList(serials: [serial, []], publicKeys: [[UInt8](repeating: 7, count: 32)])
        },
    ]
}
