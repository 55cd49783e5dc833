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

    /// The appraisal of a part of a payload, as a verifier's is limited.
    private func part(
        _ assurance: Assurance = .none, of binding: Binding = Self.bound, verified payload: [UInt8]? = Self.payload,
        _ findings: Finding...
    ) -> Appraisal {
        PartVerifier(
            assurance: assurance, payload: payload, findings: findings
        ).appraise(
            Evidence(format: EvidenceFormat(rawValue: "part"), keyID: [], body: []),
            in: AppraisalContext(binding: binding, now: Timestamp(unixMilliseconds: 0)))
    }

    private static let payload = [UInt8](repeating: 0xAB, count: 32)
    private static let bound = Binding(clientData: [1], payloadHash: payload)

    @Test("A part of a payload is accepted beside other evidence alone, and does not change its assurance")
    func parts() {
        for assurance in Assurance.allCases {
            #expect(Decision([appraisal(.hardware), part(assurance)]) == .accept(.hardware))
            #expect(Decision([part(assurance), appraisal(.software)]) == .accept(.software))
        }
        let alone = Decision.reject(
            Rejection(.payloadNotBound, "every piece is a part of a payload that none binds"), check: "binding")
        #expect(Decision([part(.secureElement)]) == alone && Decision([part(), part()]) == alone)
        var supplement = appraisal(.platform)
        supplement.isSupplement = true
        #expect(Decision([supplement, part(.secureElement)]) == .accept(.platform))
        guard case .reject(let rejection, _) = Decision([appraisal(.none), part(.hardware)]) else {
            Issue.record("a part supported evidence without assurance")
            return
        }
        #expect(rejection.code == .formatNotAccepted)
        #expect(Decision([appraisal(), part(.none, fail)]) == .reject(Rejection(.untrustedRoot, "no anchor"), check: "chain"))
        guard case .unavailable = Decision([appraisal(), part(.none, unavailable)]) else {
            Issue.record("an open check of a part did not leave the decision open")
            return
        }
    }

    @Test("A part of a payload keeps findings, claims and measurements, and nothing that only evidence of a device brings")
    func limitsOfParts() {
        let part = part(.hardware)
        #expect(part.isPart && part.assurance == .none && part.uses.isEmpty && part.attestedKey == nil)
        #expect(part.certifiableKey == nil && part.platform == nil && part.imageDigest == nil)
        if case .none = part.effect {} else { Issue.record("a part has an effect") }
        #expect(part.claims.text("scene") == "real" && part.verifiedPayload == Self.payload)
        #expect(part.measurements.map(\.signal) == ["lidar"] && part.findings.last == .pass("payload"))
    }

    @Test("A part that was shown to belong to no payload, or to another, is rejected", arguments: [nil, [], [1]] as [[UInt8]?])
    func otherPayload(_ payload: [UInt8]?) {
        let other = part(.none, verified: payload)
        #expect(other.failure?.check == "payload" && other.failure?.rejection?.code == FailureCode(.payloadNotBound))
        #expect(other.claims.all.isEmpty && other.measurements.isEmpty)
        for binding in [Binding.inEvidence, Binding(callerOwned: Self.payload), Binding(embedded: Self.payload)] {
            #expect(part(.none, of: binding).failure?.rejection?.code == FailureCode(.payloadNotBound))
            #expect(part(.none, of: binding, verified: payload).failure != nil)
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

/// Appraises a part of a payload, and claims more than a part may.
private struct PartVerifier: EvidenceVerifier {
    let format = EvidenceFormat(rawValue: "part")
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 64
    let replayProtection = ReplayProtection.payload
    let assurance: Assurance
    let payload: [UInt8]?
    let findings: [Finding]

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.findings += findings
        (appraisal.assurance, appraisal.verifiedPayload) = (assurance, payload)
        appraisal.claims.add("scene", .text("real"))
        appraisal.measurements = [SignalMeasurement(signal: "lidar", outcome: .pass, detail: "deviation 0.6 m")]
        appraisal.effect = .register(
            Registration(
                format: format, keyID: [1], publicKey: [], environment: "", anchor: [], claims: Claims(), chainSerials: [],
                receipt: [], simulated: false))
        appraisal.attestedKey = AttestedKey(publicKeySHA256: [1], packages: [], signers: [])
        (appraisal.certifiableKey, appraisal.platform, appraisal.imageDigest) = ([1], .iOS, [1])
    }
}
