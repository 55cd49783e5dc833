import AssayCore
import Testing

@Suite("Decision")
struct DecisionTests {
    private func appraisal(_ assurance: Assurance = .secureElement, _ findings: Finding...) -> Appraisal {
        var appraisal = Appraisal(format: EvidenceFormat(rawValue: "example"))
        appraisal.assurance = assurance
        appraisal.findings = findings
        return appraisal
    }

    private let fail = Finding.fail("chain", Rejection(.untrustedRoot, "no anchor"))
    private let unavailable = Finding(check: "revocation", outcome: .unavailable, detail: "too old")

    @Test("Valid appraisals are accepted, at the lowest assurance")
    func accepts() {
        #expect(Decision([appraisal()]) == .accept(.secureElement))
        #expect(Decision([appraisal(.secureElement), appraisal(.software), appraisal(.hardware)]) == .accept(.software))
        #expect(Decision([appraisal(.hardware, .pass("a"), .note("b", "c", "d"))]) == .accept(.hardware))
    }

    @Test("Supplements do not change the assurance of a piece that stands alone")
    func supplements() {
        var supplement = appraisal(.platform)
        supplement.isSupplement = true
        #expect(Decision([supplement, appraisal(.hardware)]) == .accept(.hardware))
        #expect(Decision([supplement]) == .accept(.platform))
        supplement.findings = [fail]
        #expect(Decision([appraisal(.hardware), supplement]) == .reject(Rejection(.untrustedRoot, ""), check: "chain"))
        supplement.findings = []
        supplement.assurance = .none
        guard case .reject = Decision([appraisal(.hardware), supplement]) else {
            Issue.record("a supplement that supports nothing was accepted")
            return
        }
    }

    @Test("An empty list, and appraisals without assurance, are never accepted")
    func nothing() {
        for appraisals in [[], [appraisal(.none)], [appraisal(), appraisal(.none)]] {
            guard case .reject = Decision(appraisals) else {
                Issue.record("accepted \(appraisals.count) appraisals")
                continue
            }
        }
    }

    @Test("The first failure rejects, also beside valid and unavailable checks")
    func rejects() {
        let want = Decision.reject(Rejection(.untrustedRoot, ""), check: "chain")
        #expect(Decision([appraisal(.secureElement, fail)]) == want)
        #expect(Decision([appraisal(), appraisal(.secureElement, unavailable, fail)]) == want)
        #expect(Decision([appraisal(.hardware, unavailable), appraisal(.hardware, .pass("x"), fail)]) == want)
        let later = Finding.fail("later", Rejection(.expired, ""))
        #expect(Decision([appraisal(.hardware, fail, later)]) == want)
    }

    @Test("An unavailable check leaves the decision open")
    func leavesOpen() {
        #expect(
            Decision([appraisal(), appraisal(.hardware, unavailable)]) == .unavailable(check: "revocation", detail: "too old"))
    }
}

@Suite("Verification requests")
struct VerificationRequestTests {
    @Test("Requests differ in their digest by every field but the idempotency key")
    func digest() throws {
        let evidence = Evidence(format: .appAttestAssertion, keyID: [1], body: [2])
        let request = VerificationRequest(
            app: try #require(AppID("photos")), purpose: .assert, challenge: [3], context: [4], evidence: [evidence],
            subject: [5])
        let films = try #require(AppID("films"))
        let changes: [(inout VerificationRequest) -> Void] = [
            { $0.app = films }, { $0.purpose = .register }, { $0.challenge = [] }, { $0.context = [] },
            {
                $0.context = [4, 5]; $0.subject = []
            }, { $0.evidence.append(evidence) },
            { $0.evidence = [Evidence(format: .appAttestAttestation, keyID: [1], body: [2])] },
            { $0.binding = .clientData(payloadHash: [UInt8](repeating: 0, count: 32)) }, { $0.binding = .embedded([]) },
            { $0.binding = .callerOwned([]) }, { $0.binding = .embedded([6]) }, { $0.binding = .callerOwned([6]) },
            { $0.subject = [] }, { $0.expectedDevice = .random() },
        ]
        var digests: Set<[UInt8]> = [request.digest]
        for change in changes {
            var changed = request
            change(&changed)
            digests.insert(changed.digest)
        }
        #expect(digests.count == changes.count + 1)
        var other = request
        other.idempotencyKey = [9]
        #expect(other.digest == request.digest)
    }
}
