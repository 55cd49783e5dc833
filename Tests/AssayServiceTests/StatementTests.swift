import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

/// Evidence that is a statement of its own: the rules of the pipeline, over a verifier that accepts every body.
@Suite("Statements")
struct StatementTests {
    /// Accepts a body as the statement of the device with the key id `device`, resting on a certificate if there is one.
    private struct StatementVerifier: EvidenceVerifier {
        let format: EvidenceFormat = .certificateBundle
        let purposes: Set<Purpose> = [.assert]
        let sizeLimit = 100
        let replayProtection: ReplayProtection = .statement
        var restsOn: CertificateName?
        var device: [UInt8]?
        var limit: Int64 = 3
        var image: [UInt8]?

        func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
            Needs(
                deviceKeyID: device, certificate: restsOn.map { .name($0) }, submissions: device != nil,
                statement: .init(
                    digest: SHA256.bytes(of: evidence.body),
                    lifetime: .until(ServiceHarness.opening.adding(milliseconds: 1 << 32))))
        }

        func appraise(
            _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
        ) throws(Rejection) {
            appraisal.assurance = .software
            (appraisal.restsOn, appraisal.imageDigest) = (restsOn, image)
            guard let device = context.facts.device else { return }
            appraisal.claims.add("submissions", .integer(context.facts.submissions ?? -1))
            appraisal.submission = .init(device: device.id, limit: limit)
        }
    }

    private static func harness(
        _ verifier: StatementVerifier = StatementVerifier(), ledger: WatchedLedger = WatchedLedger(), lookup: LookupRule? = nil
    ) async throws -> ServiceHarness {
        let profile = AppProfile(
            id: .camera, verifiers: [verifier] + Array(try AppProfile.testing(.camera).verifiers.values),
            policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true, lookup: lookup)
        return try await ServiceHarness([profile], ledger: ledger)
    }

    private static func request(
        _ body: String = "one", binding: VerificationRequest.BindingRequest = .inEvidence, challenge: [UInt8] = []
    ) -> VerificationRequest {
        VerificationRequest(
            app: .camera, purpose: .assert, challenge: challenge,
            evidence: [CertificateBundle.json(Array(body.utf8)).evidence], binding: binding)
    }

    @Test("The same statement again is accepted again and marked as repeated, and another one is new")
    func repeated() async throws {
        let harness = try await Self.harness()
        let first = try await harness.verify(Self.request())
        #expect(first.isAccepted && !first.repeated && first.bound.mode == .inEvidence)
        let second = try await harness.verify(Self.request())
        #expect(second.isAccepted && second.repeated && second.requestID != first.requestID)
        #expect(second.findings.contains { $0.code == Finding.repeatedStatement })
        #expect(try await !harness.verify(Self.request("two")).repeated)
        #expect(harness.ledger.memory.auditLog.count == 2, "a repetition is not recorded")
        #expect(harness.counters.counts.accepted == 2 && harness.counters.counts.repeated == 1)
    }

    @Test("The image that a statement names is found, once however often the statement comes, and is bound to a payload")
    func lookup() async throws {
        let image = [UInt8](repeating: 0xC4, count: 32)
        var verifier = StatementVerifier()
        verifier.image = image
        let harness = try await Self.harness(verifier, lookup: LookupRule())
        let first = try await harness.verify(Self.request())
        #expect(first.isAccepted && first.limits.contains(.notBoundToPayload))
        #expect(try await harness.verify(Self.request()).repeated)
        let found = try await harness.call(
            API.findVerdicts, .with { ($0.app, $0.payloadSha256) = (AppID.camera.text, Data(image)) }
        ).verdicts
        #expect(found.map(\.requestID) == [first.requestID] && found.first?.match == .image)
        #expect(found.first?.limits.contains(.notBoundToPayload) == false && found.first?.deviceState == .unspecified)
        #expect(found.first?.formats == ["certificate-bundle"])
    }

    @Test("32 equal statements race: exactly one is new")
    func race() async throws {
        let harness = try await Self.harness()
        let verdicts = try await AssayServiceTests.race(32) { _ in try await harness.verify(Self.request()) }
        #expect(verdicts.allSatisfy(\.isAccepted) && verdicts.count { !$0.repeated } == 1)
    }

    @Test("A statement takes no challenge and no caller's word, and other evidence needs one of them")
    func binding() async throws {
        let harness = try await Self.harness()
        let challenge = try await harness.challenge(.assert)
        var (handset, _) = try await harness.enrol()
        var assertion = try handset.assertion(challenge)
        (assertion.binding, assertion.challenge) = (.inEvidence, [])
        for request in [
            Self.request(binding: .clientData(payloadHash: nil), challenge: challenge),
            Self.request(binding: .callerOwned([1])),
            assertion,
        ] {
            #expect(try await harness.failure(request)?.code == .invalidArgument)
            // The pipeline does not rely on the reader of requests.
            guard case .verdict(let verdict)? = await harness.pipeline.judge([try harness.admitted(request)]).first,
                case .rejected(let rejection, let check) = verdict.decision
            else {
                Issue.record("accepted")
                continue
            }
            #expect(rejection.code == .bindingNotAllowed && check == "binding")
        }
    }

    @Test("No statement is accepted as long as no more uses of evidence may be kept")
    func memory() async throws {
        let ledger = WatchedLedger()
        let harness = try await Self.harness(ledger: ledger)
        ledger.answerTrim(Trimmed(evidence: 10))
        var rule = RetentionRule()
        rule.evidence = 10
        let task = RetentionTask(
            ledger: ledger, rule: rule, memory: harness.memory, clock: SettledClock(harness.clock),
            logger: ServiceHarness.logger)
        try await task.perform()
        #expect(try await harness.failure(Self.request())?.reason == "evidence_memory_full")
    }

    @Test("Submissions are counted once for each statement, and refused at the limit")
    func submissions() async throws {
        let ledger = WatchedLedger()
        let (handset, _) = try await ServiceHarness(ledger: ledger).enrol()
        let harness = try await Self.harness(StatementVerifier(device: handset.key.keyID), ledger: ledger)
        for number in 0..<3 {
            let verdict = try await harness.verify(Self.request("\(number)"))
            #expect(verdict.isAccepted && verdict.claims.first { $0.name == "submissions" }?.integer == Int64(number))
            #expect(try await harness.verify(Self.request("\(number)")).repeated)
        }
        let fourth = try await harness.verify(Self.request("3"))
        #expect(fourth.reason == "too_many_submissions" && fourth.retry == .later)
        #expect(try await harness.verify(Self.request("2")).repeated, "a repetition is no further submission")
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 26 * 3_600_000))
        #expect(try await harness.verify(Self.request("3")).isAccepted)
    }

    @Test(
        "A statement rests on its certificate in the commit too: one that is revoked meanwhile is refused, also for a repetition"
    )
    func revoked() async throws {
        let ledger = WatchedLedger()
        let issuing = try await ServiceHarness(ledger: ledger)
        let (handset, device) = try await issuing.enrol()
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        var key = handset
        let challenge = try await issuing.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let evidence = try #require(try key.assertion(over: data.hash).message)
        let issued = try await issuing.call(
            API.issueCertificate,
            .with {
                ($0.app, $0.challenge, $0.evidence) = (AppID.camera.text, Data(challenge), [evidence])
                ($0.payloadSha256, $0.csr) = (Data(ClientData.payloadHash(csr)), Data(csr))
            })
        let name = CertificateName(issuer: StandInAuthority.issuer, serial: Array(issued.certificate.serial))
        let harness = try await Self.harness(StatementVerifier(restsOn: name), ledger: ledger)
        let first = try await harness.verify(Self.request())
        #expect(first.isAccepted && Array(issued.certificate.deviceID) == device.bytes)
        for body in ["one", "two"] {
            ledger.before(.commit) {
                _ = try? await ledger.memory.revoke(
                    name, .keyCompromise, ChangeContext(.caller("test"), at: ServiceHarness.opening))
            }
            #expect(try await harness.verify(Self.request(body)).reason == "revoked")
        }
    }
}
