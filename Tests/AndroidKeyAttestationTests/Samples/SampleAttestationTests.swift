import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Simulated key attestations")
struct SampleAttestationTests {
    private func judge(_ sample: SampleCase) throws {
        let appraisal = try sample.appraise()
        #expect(appraisal.outcome == sample.outcome, "\(appraisal.failure?.detail ?? "")")
        if let note = sample.note { #expect(appraisal.findings.contains { $0.outcome == .note && $0.code == note }) }
    }

    @Test("Each case of a chain has its outcome", arguments: SampleCase.chains)
    func chains(_ sample: SampleCase) throws { try judge(sample) }

    @Test("Each case of a revocation list has its outcome", arguments: SampleCase.revocations)
    func revocations(_ sample: SampleCase) throws { try judge(sample) }

    @Test("Each case of the operator's deny list has its outcome", arguments: SampleCase.denied)
    func denied(_ sample: SampleCase) throws {
        try judge(sample)
        let failure = try sample.appraise().failure
        #expect(failure == nil || failure?.check == "denied" && failure?.detail.contains("operator's own list") == true)
    }

    @Test("Each case of a key description has its outcome", arguments: SampleCase.descriptions)
    func descriptions(_ sample: SampleCase) throws { try judge(sample) }

    @Test("Each case of an app's policy has its outcome", arguments: SampleCase.policies)
    func policies(_ sample: SampleCase) throws { try judge(sample) }

    @Test("Attestations of every version are accepted", arguments: [2, 3, 4, 100, 200, 300, 400, 500] as [UInt64])
    func versions(_ version: UInt64) throws {
        var attestation = SampleAttestation()
        attestation.edit = { $0.attestationVersion = version }
        let appraisal = try attestation.appraise()
        #expect(appraisal.outcome == "accepted")
        #expect(appraisal.claims.integer("attestation_version") == Int64(version))
    }

    @Test("The assurance is that of the key's storage")
    func assurance() throws {
        var attestation = SampleAttestation()
        #expect(try attestation.appraise().assurance == .hardware)
        attestation.level = .strongBox
        #expect(try attestation.appraise().assurance == .secureElement)
        attestation.edit = { $0.rootOfTrust = .unlocked }
        attestation.policy.boot = BootRule(states: [.unverified], requiresLocked: false)
        #expect(try attestation.appraise().assurance == .software)
    }

    @Test("Without a revocation list the decision is left open")
    func unavailable() throws {
        var attestation = SampleAttestation()
        attestation.revocation = .unavailable("the list is too old")
        let appraisal = try attestation.appraise()
        #expect(appraisal.failure == nil)
        guard case .unavailable(let check, _) = Decision([appraisal]) else {
            Issue.record("decided without the list")
            return
        }
        #expect(check == "revocation")
    }

    @Test("An accepted attestation registers the facts that later appraisals need")
    func registration() throws {
        let attestation = SampleAttestation()
        let (key, _) = try attestation.chain()
        let appraisal = try attestation.appraise()
        guard case .register(let registration) = appraisal.effect else {
            Issue.record("registers nothing")
            return
        }
        #expect(registration.keyID == key.keyID)
        #expect(registration.publicKey == key.key.subjectPublicKeyInfo)
        #expect(registration.attestationKey == key.device.attestationKey.subjectPublicKeyInfoDigest)
        #expect(registration.chainSerials.count == 5)
        #expect(registration.chainSerials.first == [1])
        #expect(registration.chainSerials[1] == key.device.attestationSerial)
        #expect(registration.simulated)
    }

    @Test("Unauthenticated statements are not claimed")
    func noClaims() throws {
        var attestation = SampleAttestation()
        attestation.changes = .genuine.certificateBytes(0) { $0[$0.count - 1] ^= 1 }
        #expect(try attestation.appraise().claims.all.isEmpty)
    }

    @Test("Every strict prefix and every flipped byte is refused without a trap")
    func mutations() throws {
        let attestation = SampleAttestation()
        let chain = try attestation.chain().certificates
        let verifier = try attestation.verifier()
        #expect(attestation.appraise(chain, by: verifier).outcome == "accepted")
        for index in chain[0].indices {
            var changed = chain
            changed[0][index] ^= 0x11
            #expect(attestation.appraise(changed, by: verifier).outcome != "accepted")
            changed[0] = Array(chain[0].prefix(index))
            #expect(attestation.appraise(changed, by: verifier).outcome == "malformed_certificate")
        }
    }
}
