import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Registered Android devices, minted")
struct SampleDeviceTests {
    /// Registers a minted device, and judges it under what `change` makes of the circumstances.
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
            binding: Binding(embedded: [1]), device: device, revocation: today.revocation, now: today.now)
        return Appraisal.build(.keySignature) { (appraisal) throws(Rejection) in
            try judge.judge(device, in: context, &appraisal)
        }
    }

    private struct NotRegistered: Error {}

    @Test("stay good as long as nothing speaks against them")
    func good() throws {
        let later = try judge { $0.now = SampleAttestation.time.adding(milliseconds: 400 * 86_400_000) }
        #expect(later.outcome == "accepted")
        #expect(later.assurance == .hardware)
        #expect(later.simulated)
    }

    @Test("are refused once a certificate of their chain is revoked, and good again once a suspension is lifted")
    func revoked() throws {
        var registered = SampleAttestation()
        registered.edit = { $0.attestationSerial = [0x44, 1] }
        #expect(try judge(registered) { $0.revoke([0x44, 1]) }.outcome == "revoked")
        #expect(try judge(registered) { $0.revoke([0x44, 1], .suspended) }.outcome == "revoked")
        #expect(try judge(registered) { $0.revoke([0x44, 2]) }.outcome == "accepted")
    }

    @Test("are refused once the operator denies a certificate or key of theirs, where a list is consulted and where none is")
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
            // A list that cannot be had leaves nothing open then.
            let without = try judge(registered) {
                $0.revocation = .unavailable("too old")
                $0.policy.denied = denied
            }
            #expect(without.outcome == "revoked")
        }
    }

    @Test("are refused once their root is given up")
    func anchors() throws {
        #expect(try judge { $0.anchors = [.rsa] }.outcome == "untrusted_root")
    }

    @Test("are judged by today's policy")
    func policy() throws {
        #expect(try judge { $0.policy.minimumLevel = .strongBox }.outcome == "security_level_too_low")
        #expect(try judge { $0.policy.minimumOSVersion = 170_000 }.outcome == "os_version")
        #expect(
            try judge { $0.policy.apps = [AndroidApp(packageName: "com.example.other", signers: nil)] }.outcome
                == "package_mismatch")
        #expect(try judge { $0.policy.provisioning.certificateLimit = 1 }.outcome == "provisioning_count")
        #expect(try judge { $0.policy.boot?.deniedKeys = [RootOfTrustDraft().verifiedBootKey] }.outcome == "boot_key")
    }

    @Test("grow too old where a patch level may only be so many months old")
    func age() throws {
        var registered = SampleAttestation()
        registered.policy.patchLevels.os = .months(14)
        #expect(try judge(registered) { _ in }.outcome == "accepted")
        let later = try judge(registered) { $0.now = SampleAttestation.time.adding(milliseconds: 60 * 86_400_000) }
        #expect(later.outcome == "patch_level_too_old")
    }
}
