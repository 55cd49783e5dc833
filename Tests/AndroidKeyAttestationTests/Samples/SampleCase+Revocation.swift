import AssayCore
import AssaySimulator

@testable import AndroidKeyAttestation

/// The revocation list. Serial numbers are in the form of a parsed list: unsigned integers.
extension SampleCase {
    private static let serial: [UInt8] = [0x05, 0x20, 0x44, 0x97]

    static let revocations: [SampleCase] = [
        SampleCase("no list is consulted", "accepted", note: "revocation_not_consulted"),
        SampleCase("a list on which nothing of the chain stands", "accepted") { $0.revoke([0x77, 0x77]) },
        SampleCase("the attestation key is revoked", "revoked") {
            $0.edit = { $0.attestationSerial = serial }
            $0.revoke(serial)
        },
        SampleCase("an intermediate is revoked", "revoked") {
            $0.changes = .genuine.certificate(2) { $0.serial = serial }
            $0.revoke(serial)
        },
        SampleCase("a batch key is revoked", "revoked") {
            $0.provisioning = .factory
            $0.edit = { $0.attestationSerial = serial }
            $0.revoke([0] + serial)
        },
        SampleCase("a list with an unknown status", "revoked") {
            $0.edit = { $0.attestationSerial = serial }
            $0.revoke(serial, .other("RETIRED"))
        },
        SampleCase("the attestation key is suspended", "revoked") {
            $0.edit = { $0.attestationSerial = serial }
            $0.revoke(serial, .suspended)
        },
        SampleCase("the attestation key is suspended, which the app allows", "accepted", note: "suspended") {
            $0.edit = { $0.attestationSerial = serial }
            $0.revoke(serial, .suspended)
            $0.policy.allowsSuspended = true
        },
        SampleCase("the number 1, which every leaf has, is on the list", "accepted") { $0.revoke([1]) },
    ]
}
