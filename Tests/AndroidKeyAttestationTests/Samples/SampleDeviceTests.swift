import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Registered simulated Android devices")
struct SampleDeviceTests {
    /// Registers a simulated device, and appraises it after `change`.
    private func judge(
        _ registered: SampleAttestation = SampleAttestation(), under change: (inout SampleAttestation) -> Void
    ) throws -> Appraisal {
        guard case .register(let registration) = try registered.appraise().effect else { throw NotRegistered() }
        let device = Device(
            id: .random(), app: try #require(AppID("camera")), subject: nil, registration: registration,
            registeredAt: SampleAttestation.time)
        var today = registered
        change(&today)
        let judge = AndroidDeviceAppraiser(anchors: try today.trusted(), policy: today.policy)
        let context = AppraisalContext(
            binding: Binding(embedded: [1]), facts: Facts(device: device, revocation: today.revocation), now: today.now)
        return Appraisal.build(.keySignature) { (appraisal) throws(Rejection) in
            try judge.judge(device, in: context, &appraisal)
        }
    }

    private struct NotRegistered: Error {}

    @Test("A registered device stays accepted under unchanged circumstances")
    func good() throws {
        let later = try judge { $0.now = SampleAttestation.time.adding(milliseconds: 400 * 86_400_000) }
        #expect(later.outcome == "accepted")
        #expect(later.assurance == .hardware)
        #expect(later.simulated)
    }

    @Test("A registered device is refused while a certificate of its chain is revoked or suspended")
    func revoked() throws {
        var registered = SampleAttestation()
        registered.edit = { $0.attestationSerial = [0x44, 1] }
        #expect(try judge(registered) { $0.revoke([0x44, 1]) }.outcome == "revoked")
        #expect(try judge(registered) { $0.revoke([0x44, 1], .suspended) }.outcome == "revoked")
        #expect(try judge(registered) { $0.revoke([0x44, 2]) }.outcome == "accepted")
    }

    @Test("A registered device is refused once the operator denies its certificate or key, with and without a revocation list")
    func denied() throws {
        let registered = SampleAttestation()
        let device = try registered.device()
        for denied in [
            DenyList(serials: [[0] + device.attestationSerial]),
            DenyList(publicKeys: [device.attestationKey.subjectPublicKeyInfoDigest]),
        ] {
            #expect(try judge(registered) { $0.policy.denied = denied }.outcome == "revoked")
            let listed = try judge(registered) {
                $0.revoke([0x44, 2])
                $0.policy.denied = denied
            }
            #expect(listed.failure?.check == "denied")
            // An unavailable list then leaves nothing open.
            let without = try judge(registered) {
                $0.revocation = .unavailable("too old")
                $0.policy.denied = denied
            }
            #expect(without.outcome == "revoked")
        }
    }

    @Test("A registered device is refused once its root is removed")
    func anchors() throws {
        #expect(try judge { $0.anchors = [.rsa] }.outcome == "untrusted_root")
    }

    @Test("A registered device is appraised under today's policy")
    func policy() throws {
        #expect(try judge { $0.policy.minimumLevel = .strongBox }.outcome == "security_level_too_low")
        #expect(try judge { $0.policy.minimumOSVersion = 170_000 }.outcome == "os_version")
        #expect(
            try judge { $0.policy.apps = [AndroidApp(packageName: "com.example.other", signers: nil)] }.outcome
                == "package_mismatch")
        #expect(try judge { $0.policy.provisioning.certificateLimit = 1 }.outcome == "provisioning_count")
        #expect(try judge { $0.policy.boot?.deniedKeys = [RootOfTrustDraft().verifiedBootKey] }.outcome == "boot_key")
    }

    @Test("A registered device grows too old under a patch level rule in months")
    func age() throws {
        var registered = SampleAttestation()
        registered.policy.patchLevels.os = .months(14)
        #expect(try judge(registered) { _ in }.outcome == "accepted")
        let later = try judge(registered) { $0.now = SampleAttestation.time.adding(milliseconds: 60 * 86_400_000) }
        #expect(later.outcome == "patch_level_too_old")
    }
}
