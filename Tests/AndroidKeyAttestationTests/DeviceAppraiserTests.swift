import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Registered Android devices, by their claims")
struct DeviceAppraiserTests {
    static let anchors = TrustAnchor.googleHardware
    let policy = AndroidPolicy(apps: [PolicyTests.app])

    private func device(
        _ sample: SampleDescription = SampleDescription(), anchor: [UInt8]? = nil, format: EvidenceFormat = .keyAttestation,
        simulated: Bool = false
    ) throws -> Device {
        var claims = Claims()
        try sample.facts().add(to: &claims)
        let registration = Registration(
            format: format, keyID: [UInt8](repeating: 7, count: 32), publicKey: [], environment: "hardware",
            anchor: try anchor ?? #require(Self.anchors.first).publicKeySHA256, claims: claims,
            chainSerials: [[1], [0x22], [0x33]], attestationKey: [UInt8](repeating: 8, count: 32), receipt: [],
            simulated: simulated)
        return Device(
            id: try #require(DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.length))),
            app: try #require(AppID("photos")),
            subject: nil, registration: registration, registeredAt: PolicyTests.now)
    }

    private func judge(
        _ device: Device, _ policy: AndroidPolicy, anchors: [TrustAnchor] = anchors,
        revocation: RevocationKnowledge = .notConsulted
    ) -> Appraisal {
        Appraisal.build(.keySignature) { appraisal throws(Rejection) in
            try AndroidDeviceAppraiser(anchors: anchors, policy: policy).judge(
                device,
                in: AppraisalContext(
                    binding: Binding(callerOwned: [1]), facts: Facts(device: device, revocation: revocation),
                    now: PolicyTests.now),
                &appraisal)
        }
    }

    @Test("A registered device is accepted under the policy that registered it")
    func good() throws {
        let appraisal = judge(try device(), policy)
        #expect(appraisal.failure == nil && appraisal.assurance == .hardware && !appraisal.simulated)
        #expect(appraisal.claims.text("security_level") == "TRUSTED_ENVIRONMENT")
        #expect(appraisal.claims["packages"] == .texts(["com.example.photos"]))
    }

    @Test("A registered device whose versions differ is noted, and refused once the app wants equal ones")
    func versions() throws {
        var sample = SampleDescription()
        sample.keyMintVersion = DERWriter.integer(200)
        let device = try device(sample)
        let noted = judge(device, policy)
        #expect(noted.failure == nil && noted.findings.contains { $0.check == "versions" && $0.code == "versions_differ" })
        var strict = policy
        strict.requiresEqualVersions = true
        #expect(judge(device, strict).failure?.code == "versions_differ")
        let equal = judge(try self.device(), strict)
        #expect(equal.failure == nil && !equal.findings.contains { $0.check == "versions" })
    }

    @Test("A registered device is refused once its root is removed, and stays simulated")
    func anchor() throws {
        #expect(judge(try device(anchor: [1]), policy).failure?.code == "untrusted_root")
        #expect(judge(try device(), policy, anchors: []).failure?.code == "untrusted_root")
        #expect(judge(try device(simulated: true), policy).simulated)
    }

    @Test("A registered device is refused while a certificate of its chain is on the revocation list")
    func revocation() throws {
        let device = try device()
        for status: RevocationSnapshot.Status in [.revoked, .suspended] {
            let list = RevocationCheckTests.snapshot([[0x33]: .init(status)])
            let appraisal = judge(device, policy, revocation: list)
            #expect(appraisal.failure?.code == "revoked" && appraisal.feeds == [RevocationCheckTests.feed])
        }
        #expect(judge(device, policy, revocation: RevocationCheckTests.snapshot([:])).failure == nil)
        let open = judge(device, policy, revocation: .unavailable("none"))
        #expect(Decision([open]) == .unavailable(check: "revocation", detail: "none"))
    }

    @Test("A registered device is refused once the operator denies a certificate or key of its registration")
    func denied() throws {
        let device = try device()
        let anchor = try #require(Self.anchors.first).publicKeySHA256
        for denied in [
            DenyList(serials: [[0, 0x22]]), DenyList(serials: [[0x33]]), DenyList(publicKeys: [anchor]),
            DenyList(publicKeys: [device.registration.keyID]), DenyList(publicKeys: [device.registration.attestationKey]),
        ] {
            var policy = policy
            policy.denied = denied
            let appraisal = judge(device, policy)
            #expect(appraisal.failure?.check == "denied" && appraisal.failure?.code == "revoked")
        }
        var policy = policy
        policy.denied = DenyList(serials: [[0x44]], publicKeys: [[UInt8](repeating: 9, count: 32)])
        #expect(judge(device, policy).failure == nil)
    }

    @Test("A registered device is appraised under today's policy")
    func today() throws {
        var policy = policy
        policy.minimumLevel = .strongBox
        #expect(judge(try device(), policy).failure?.code == "security_level_too_low")
        policy = AndroidPolicy(apps: [AndroidApp(packageName: "com.example.other", signers: [SampleDescription.signer])])
        #expect(judge(try device(), policy).failure?.code == "package_mismatch")
        policy = AndroidPolicy(
            apps: [PolicyTests.app], patchLevels: PatchLevelRules(os: PatchLevel(202_404).map { .level($0) }))
        #expect(judge(try device(), policy).failure?.code == "patch_level_too_old")
        policy = AndroidPolicy(apps: [PolicyTests.app], boot: BootRule(deniedKeys: [SampleDescription.bootKey]))
        #expect(judge(try device(), policy).failure?.code == "boot_key")
        policy = AndroidPolicy(apps: [PolicyTests.app], key: KeyRule(kinds: [.p384]))
        #expect(judge(try device(), policy).failure?.code == "key_type")
    }

    @Test("A device registered with another format is refused")
    func format() throws {
        #expect(judge(try device(format: .appAttestAttestation), policy).failure?.code == "unknown_device")
    }
}
