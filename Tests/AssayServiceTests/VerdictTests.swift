import AssayAPI
import AssayCore
import AssaySimulator
import Foundation
import Testing

@Suite("Verdict of the pipeline")
struct VerdictTests {
    @Test("lists the findings in documented order, without failed ones")
    func order() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let verdict = try await harness.verify(try handset.registration(try await harness.challenge(.register)))
        #expect(verdict.isAccepted)
        let checks = verdict.findings.map(\.check)
        #expect(checks.prefix(2) == ["challenge", "binding"])
        let chain = try #require(checks.firstIndex(of: "chain_anchor"))
        let nonce = try #require(checks.firstIndex(of: "nonce"))
        #expect(try #require(checks.firstIndex(of: "cbor")) < chain && chain < nonce)
        let others = verdict.findings.filter { ![.pass, .note].contains($0.outcome) }
        #expect(others.map(\.check) == ["access_control"] && others.map(\.outcome) == [.skipped], "that is for Macs")
    }

    @Test("carries the digests of evidence and policy, the time and a name of its own")
    func digests() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let challenge = try await harness.challenge(.register)
        let request = try handset.registration(challenge, payload: [1, 2, 3])
        let verdict = try await harness.verify(request)
        #expect(Array(verdict.evidenceDigest) == request.evidence.first?.digest)
        #expect(verdict.policyDigest == Data(repeating: 0xD1, count: 32))
        #expect(verdict.decidedAtUnixMs == ServiceHarness.opening.unixMilliseconds && verdict.requestID.count == 16)
        #expect(verdict.simulated && !verdict.repeated)
        #expect(verdict.bound.mode == .clientData)
        #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash([1, 2, 3])))
        let other = try await harness.verify(request)
        #expect(!other.isAccepted && other.requestID != verdict.requestID)
        #expect(other.evidenceDigest == verdict.evidenceDigest && other.policyDigest == verdict.policyDigest)
    }

    @Test("of a rejection before the appraisal has one finding and says what it can")
    func early() async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration([UInt8](repeating: 1, count: 54))
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .challengeInvalid && verdict.retry == .newChallenge)
        #expect(verdict.findings.map(\.check) == ["challenge"] && verdict.findings.map(\.outcome) == [.fail])
        #expect(verdict.assurance == .none && verdict.claims.isEmpty && verdict.deviceID.isEmpty && !verdict.hasBound)
        #expect(Array(verdict.evidenceDigest) == request.evidence.first?.digest && verdict.policyDigest.count == 32)
    }

    @Test("claims nothing of an attestation under a foreign root")
    func foreignRoot() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset(authority: TestAuthority(seed: "another authority"))
        let verdict = try await harness.verify(try handset.registration(try await harness.challenge(.register)))
        #expect(verdict.rejection == .untrustedRoot)
        #expect(verdict.claims.isEmpty && verdict.deviceID.isEmpty && !verdict.simulated)
        #expect(verdict.findings.last?.outcome == .fail, "nothing is checked after a failure of authenticity")
    }

    @Test("claims nothing of an assertion that the registered key did not sign, but names the device that it is about")
    func foreignKey() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let verdict = try await harness.assert(&handset, changes: .genuine.signer(TestSigningKey(.p256)))
        #expect(verdict.rejection == .badSignature)
        #expect(verdict.claims.isEmpty && verdict.findings.last?.check == "signature")
        #expect(verdict.deviceID == Data(device.bytes))
    }

    @Test("claims what authentic evidence says even where it is refused")
    func authenticButRefused() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset(environment: .development)
        let verdict = try await harness.verify(try handset.registration(try await harness.challenge(.register)))
        #expect(verdict.rejection == .environmentMismatch)
        #expect(!verdict.claims.isEmpty && verdict.deviceID.isEmpty && verdict.simulated)
    }

    @Test("is refused where the evidence was made over another challenge")
    func otherChallenge() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        var request = try handset.registration(try await harness.challenge(.register))
        request.challenge = try await harness.challenge(.register)
        #expect(try await harness.verify(request).rejection == .nonceMismatch)
    }
}
