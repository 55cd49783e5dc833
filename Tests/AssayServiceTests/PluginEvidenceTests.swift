import AssayAPI
import AssayCore
import AssayPlugins
import AssayRPC
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// Evidence of plugins in the pipeline: facts, effects, what is used up, second opinions.
@Suite("Evidence of plugins")
struct PluginEvidenceTests {
    private static let format = EvidenceFormat(rawValue: "example.kiosk")

    private static func declared(
        _ freshness: Assay_Plugin_V1_Freshness, _ purposes: [Assay_Plugin_V1_Purpose] = [.register, .assert]
    ) throws -> PluginFormat {
        try PluginFormat(
            .with {
                ($0.name, $0.purposes, $0.sizeLimit) = (Data(format.rawValue.utf8), purposes, 64)
                $0.freshness = freshness
                $0.claims = [
                    .with {
                        $0.name = Data("station".utf8)
                        $0.kind = .text
                    }
                ]
                $0.codes = [
                    .with {
                        $0.code = Data("session_used".utf8)
                        $0.retry = .newChallenge
                    }
                ]
            })
    }

    private static func judge(_ id: String = "kiosk", _ ceiling: Assurance = .platform) -> PluginJudge {
        PluginJudge(id: id, name: "kiosk", ceiling: ceiling)
    }

    private static func profile(
        _ source: StandInOpinions, _ freshness: Assay_Plugin_V1_Freshness, others: [SecondOpinion] = [],
        unavailable: [EvidenceFormat: String] = [:]
    ) throws -> AppProfile {
        let verifier = PluginVerifier(
            app: .camera, declared: try declared(freshness), primary: judge(), others: others)
        return AppProfile(
            id: .camera, verifiers: [verifier] + Array(try AppProfile.testing(.camera).verifiers.values),
            opinionSources: [format: source], preparers: [format: source], unavailableFormats: unavailable,
            binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000)),
            policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true)
    }

    private static func request(
        _ purpose: Purpose = .assert, challenge: [UInt8] = [], body: String = "body", key: [UInt8] = []
    ) -> VerificationRequest {
        VerificationRequest(
            app: .camera, purpose: purpose, challenge: challenge,
            evidence: [Evidence(format: format, keyID: [], body: Array(body.utf8))],
            binding: challenge.isEmpty ? .inEvidence : .clientData(payloadHash: nil), idempotencyKey: key)
    }

    private static func tokens(_ token: String, code: String = "") throws -> OutsideAnswer {
        try .judgement {
            $0.usedTokens = [
                .with {
                    $0.token = Data(token.utf8)
                    $0.untilUnixMs = ServiceHarness.opening.unixMilliseconds + 60_000
                    $0.usedCode = Data(code.utf8)
                }
            ]
        }
    }

    private static func expected(_ purpose: Purpose, _ challenge: [UInt8]) throws -> Data {
        let data = try #require(ClientData(purpose: purpose, challenge: challenge))
        return Data(SHA256.hash(data: data.bytes))
    }

    // MARK: Freshness

    @Test("Evidence with a token of its own is accepted once, and then rejected with the plugin's code")
    func tokens() async throws {
        let source = StandInOpinions(["kiosk": try Self.tokens("one", code: "session_used")])
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        let first = try await harness.verify(Self.request())
        #expect(first.isAccepted && first.bound.mode == .inEvidence && first.assurance == .platform)
        #expect(first.findings.contains { $0.code == "judged_by" && $0.detail == "kiosk" })
        let second = try await harness.verify(Self.request())
        #expect(second.reason == "session_used" && second.check == "use" && second.retry == .newChallenge)
        source.answer("kiosk", try Self.tokens("two"))
        #expect(try await harness.verify(Self.request()).isAccepted)
        #expect(try await harness.verify(Self.request()).rejection == .challengeReused)
    }

    @Test(
        "Evidence with tokens of its own alone takes no challenge and covers no hash; beside other evidence it is noted as not bound"
    )
    func tokensCoverNothing() async throws {
        let source = StandInOpinions(["kiosk": try Self.tokens("one")])
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        let challenge = try await harness.challenge(.assert)
        let payload = [UInt8](repeating: 5, count: 32)
        for binding in [VerificationRequest.BindingRequest.clientData(payloadHash: payload), .callerOwned(payload)] {
            var request = Self.request()
            request.binding = binding
            if case .clientData = binding { request.challenge = challenge }
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .bindingNotAllowed && verdict.check == "binding")
        }
        var phone = try await harness.enrol().handset
        var beside = try phone.assertion(try await harness.challenge(.assert))
        beside.evidence.append(Evidence(format: Self.format, keyID: [], body: Array("body".utf8)))
        let both = try await harness.verify(beside)
        try #require(both.isAccepted, "\(both.reason)")
        #expect(both.findings.contains { $0.code == "not_bound" })
        #expect(try await harness.verify(Self.request()).rejection == .challengeReused)
    }

    @Test("A check that the plugin could not make is UNAVAILABLE, and never a verdict")
    func openCheck() async throws {
        let open = try OutsideAnswer.judgement(assurance: .none) { response in
            response.findings.append(
                .with {
                    $0.check = Data("analysis".utf8)
                    $0.outcome = .unavailable
                    $0.code = Data("session_used".utf8)
                    $0.detail = "the provider does not answer"
                })
        }
        let source = StandInOpinions(["kiosk": open])
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        let found = try await harness.failure(Self.request())
        let error = try #require(found)
        #expect(error.code == .unavailable && error.reason == "evidence_unavailable")
        #expect(error.message.hasPrefix("analysis: the provider does not answer (request "))
        // A log line says which check, and nothing that the plugin wrote.
        #expect(error.cause == "the check analysis could not be made")
        source.answer("kiosk", try Self.tokens("one"))
        #expect(try await harness.verify(Self.request()).isAccepted)
    }

    @Test("64 requests race for one token of a plugin: exactly one is accepted")
    func race() async throws {
        let source = StandInOpinions(["kiosk": try Self.tokens("one")])
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        let verdicts = try await AssayServiceTests.race(64) { _ in try await harness.verify(Self.request()) }
        #expect(verdicts.count(where: \.isAccepted) == 1 && verdicts.count { $0.rejection == .challengeReused } == 63)
    }

    @Test("The same statement of a plugin's evidence is accepted again and marked as repeated")
    func statement() async throws {
        let answer = try OutsideAnswer.judgement {
            $0.statement = .with {
                $0.digest = Data(repeating: 7, count: 32)
                $0.untilUnixMs = ServiceHarness.opening.unixMilliseconds + 60_000
            }
        }
        let harness = try await ServiceHarness([try Self.profile(StandInOpinions(["kiosk": answer]), .statement)])
        let first = try await harness.verify(Self.request())
        #expect(first.isAccepted && !first.repeated)
        let second = try await harness.verify(Self.request())
        #expect(second.isAccepted && second.repeated)
    }

    @Test("Evidence bound to a challenge is accepted only with the client data that the plugin verified")
    func challenge() async throws {
        let source = StandInOpinions()
        let harness = try await ServiceHarness([try Self.profile(source, .challenge)])
        let challenge = try await harness.challenge(.assert)
        let digest = try Self.expected(.assert, challenge)
        source.answer("kiosk", try .judgement { $0.verifiedClientDataSha256 = Data(repeating: 1, count: 32) })
        let error = try await harness.failure(Self.request(challenge: challenge))
        #expect(error?.code == .unavailable && error?.message.contains("client data") == true)
        source.answer("kiosk", try .judgement { $0.verifiedClientDataSha256 = digest })
        #expect(try await harness.verify(Self.request(challenge: challenge)).isAccepted)
        #expect(try await harness.verify(Self.request(challenge: challenge)).rejection == .challengeReused)
        #expect(try await harness.verify(Self.request()).rejection == .bindingNotAllowed)
    }

    @Test("No evidence with tokens is judged while no more uses may be kept")
    func memoryFull() async throws {
        let harness = try await ServiceHarness([
            try Self.profile(StandInOpinions(["kiosk": try Self.tokens("one")]), .singleUse)
        ])
        _ = harness.memory.note(isFull: true)
        #expect(try await harness.failure(Self.request())?.reason == "evidence_memory_full")
    }

    // MARK: Devices

    @Test(
        "A plugin registers a device, advances its counter once for each value, and a block stops it before the plugin is asked"
    )
    func device() async throws {
        let source = StandInOpinions()
        let harness = try await ServiceHarness([try Self.profile(source, .challenge)])
        let enrolment = try await harness.challenge(.register)
        let digest = try Self.expected(.register, enrolment)
        source.answer(
            "kiosk",
            try .judgement {
                $0.verifiedClientDataSha256 = digest
                $0.claims = [
                    .with {
                        $0.name = Data("station".utf8)
                        $0.text = Data("north".utf8)
                    }
                ]
                $0.effect = .with {
                    $0.registration = .with { ($0.subjectKey, $0.publicKey) = (Data("k1".utf8), Data("pub".utf8)) }
                }
            })
        let registered = try await harness.verify(Self.request(.register, challenge: enrolment))
        try #require(registered.isAccepted, "\(registered.reason)")
        let id = try #require(DeviceID(bytes: Array(registered.deviceID)))
        let device = try #require(try await harness.ledger.device(id))
        #expect(device.registration.format == Self.format && device.registration.claims.text("station") == "north")
        let scope = PluginScope(
            plugin: "kiosk", format: try Self.declared(.challenge), app: .camera, purpose: nil, clientDataSHA256: nil,
            payloadSHA256: nil, hasDevice: false, ceiling: .none, now: ServiceHarness.opening,
            toldBlock: false)
        #expect(device.registration.keyID == scope.keyID(ofSubjectKey: Array("k1".utf8)))

        source.state.withLock { $0.subject = .device(keyID: [UInt8](repeating: 1, count: 32), subjectKey: Array("k2".utf8)) }
        let unknown = try await harness.verify(Self.request(challenge: try await harness.challenge(.assert)))
        #expect(unknown.rejection == .unknownDevice && unknown.check == "registry")
        source.state.withLock { $0.subject = .device(keyID: device.registration.keyID, subjectKey: Array("k1".utf8)) }
        func advance(to counter: UInt32) async throws -> Assay_V1_Verdict {
            let challenge = try await harness.challenge(.assert)
            let digest = try Self.expected(.assert, challenge)
            source.answer(
                "kiosk",
                try .judgement {
                    $0.verifiedClientDataSha256 = digest
                    $0.effect = .with { $0.advance = .with { $0.counter = counter } }
                })
            return try await harness.verify(Self.request(challenge: challenge))
        }
        let first = try await advance(to: 5)
        #expect(first.isAccepted && first.deviceID == registered.deviceID)
        #expect(source.questions.last?.device?.id == id)
        #expect(try await advance(to: 5).rejection == .counterNotIncreasing)
        #expect(try await advance(to: 6).isAccepted)
        _ = try await harness.ledger.block(
            .device(id), ChangeContext(.caller("operator"), at: harness.clock.now(), reason: "stolen"))
        let asked = source.questions.count
        #expect(try await advance(to: 7).rejection == .deviceBlocked)
        #expect(source.questions.count == asked)
    }

    @Test("A certificate is issued on a plugin's judgement only where the app names the plugin", arguments: [[], ["kiosk"]])
    func certificates(_ plugins: Set<String>) async throws {
        let source = StandInOpinions()
        let declared = try Self.declared(.challenge, [.register, .provision])
        var rule = IssuingRule()
        rule.plugins = plugins
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: [PluginVerifier(app: .camera, declared: declared, primary: Self.judge(), others: [])],
                opinionSources: [Self.format: source], policyDigest: [UInt8](repeating: 0xD1, count: 32), issuing: rule)
        ])
        let enrolment = try await harness.challenge(.register)
        let digest = try Self.expected(.register, enrolment)
        source.answer(
            "kiosk",
            try .judgement {
                $0.verifiedClientDataSha256 = digest
                $0.effect = .with { $0.registration = .with { $0.subjectKey = Data("k1".utf8) } }
            })
        let registered = try await harness.verify(Self.request(.register, challenge: enrolment))
        let id = try #require(DeviceID(bytes: Array(registered.deviceID)))
        let device = try #require(try await harness.ledger.device(id))
        source.state.withLock { $0.subject = .device(keyID: device.registration.keyID, subjectKey: Array("k1".utf8)) }
        let challenge = try await harness.challenge(.provision)
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        source.answer("kiosk", try .judgement { $0.verifiedClientDataSha256 = Data(SHA256.hash(data: data.bytes)) })
        let response = try await harness.call(
            API.issueCertificate,
            .with {
                ($0.app, $0.challenge, $0.csr) = (AppID.camera.text, Data(challenge), Data(csr))
                $0.evidence = [
                    .with { $0.pluginEvidence = .with { ($0.format, $0.body) = (Self.format.rawValue, Data("b".utf8)) } }
                ]
                $0.payloadSha256 = Data(ClientData.payloadHash(csr))
            })
        if plugins.isEmpty {
            #expect(response.verdict.rejection == .formatNotAccepted && response.verdict.check == "plugin")
        } else {
            #expect(
                response.verdict.isAccepted && response.certificate.platform == Self.format.rawValue,
                "\(response.verdict.reason)")
        }
    }

    // MARK: Answers that cannot be used

    @Test("A plugin without a usable answer is UNAVAILABLE, and nothing is spent")
    func unavailable() async throws {
        let source = StandInOpinions()
        let harness = try await ServiceHarness([try Self.profile(source, .challenge)])
        let challenge = try await harness.challenge(.assert)
        let answers: [OutsideAnswer?] = [
            nil, .unavailable("it is being started"), .answered([0xff]), .answered([]), .stated(Claims()),
            try .judgement { $0.findings = [] }, try .judgement(failing: "undeclared_code"),
        ]
        for answer in answers {
            source.state.withLock { $0.answers = answer.map { ["kiosk": $0] } ?? [:] }
            let error = try await harness.failure(Self.request(challenge: challenge))
            #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable", "\(String(describing: answer))")
        }
        let digest = try Self.expected(.assert, challenge)
        source.answer("kiosk", try .judgement { $0.verifiedClientDataSha256 = digest })
        #expect(try await harness.verify(Self.request(challenge: challenge)).isAccepted)
    }

    @Test("A format whose plugin has not described it yet is UNAVAILABLE, and shown as an outage")
    func undescribed() async throws {
        let profile = try Self.profile(StandInOpinions(), .challenge, unavailable: [Self.format: "kiosk: it is being started"])
        let harness = try await ServiceHarness([profile])
        let error = try await harness.failure(Self.request(challenge: try await harness.challenge(.assert)))
        #expect(error?.reason == "evidence_unavailable" && error?.message.contains("being started") == true)
        let status = try await harness.call(API.status, Assay_V1_StatusRequest())
        #expect(status.apps.first?.outages.first?.formats == [Self.format.rawValue])
    }

    @Test("A refusal of a plugin is a rejection with its code")
    func refused() async throws {
        let source = StandInOpinions(["kiosk": .refused(Rejection(.pluginQuarantined, "kept aside"))])
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        let verdict = try await harness.verify(Self.request())
        #expect(verdict.rejection == .pluginQuarantined && verdict.check == "plugin" && verdict.retry == .contactOperator)
        source.state.withLock { $0.subject = .refused(Rejection(.malformed, "no JSON")) }
        let unread = try await harness.verify(Self.request())
        #expect(unread.rejection == .malformed && unread.check == "evidence")
    }

    // MARK: Several opinions

    @Test("Each plugin with the role all must accept; its claims and effects count for nothing")
    func all() async throws {
        let source = StandInOpinions(["kiosk": try Self.tokens("one"), "second": try .judgement(failing: "bad_signature")])
        let harness = try await ServiceHarness([
            try Self.profile(
                source, .singleUse, others: [SecondOpinion(Self.judge("second"), declared: try Self.declared(.singleUse))])
        ])
        let rejected = try await harness.verify(Self.request())
        #expect(rejected.rejection == .badSignature && rejected.check == "second.mac")
        source.answer("second", .unavailable("it is being started"))
        #expect(try await harness.failure(Self.request())?.code == .unavailable)
        source.answer("second", try .judgement(assurance: .secureElement))
        let accepted = try await harness.verify(Self.request())
        #expect(accepted.isAccepted && accepted.assurance == .platform, "the tokens of refused requests are not used up")
    }

    @Test("A plugin can reject evidence of a built-in format, and cannot accept it")
    func veto() async throws {
        let source = StandInOpinions(["fraud": try .judgement(failing: "malformed")])
        let own = Array(try AppProfile.testing(.camera).verifiers.values)
        let verifiers = own.map { verifier -> any EvidenceVerifier in
            guard verifier.format == .appAttestAttestation, let declared = try? Self.declared(.statement) else {
                return verifier
            }
            return ObjectingVerifier(
                app: .camera, own: verifier, judges: [SecondOpinion(Self.judge("fraud"), declared: declared)])
        }
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: verifiers, opinionSources: [.appAttestAttestation: source],
                policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true)
        ])
        let handset = Handset(app: .camera)
        let rejected = try await harness.verify(
            try handset.registration(try await harness.challenge(.register), at: harness.clock.now()))
        #expect(rejected.rejection == .malformed && rejected.check == "fraud.mac")
        source.answer("fraud", try .judgement(assurance: .none))
        let forged = try handset.registration(try await harness.challenge(.register), at: harness.clock.now())
        var other = forged
        other.challenge = try await harness.challenge(.register)
        #expect(try await !harness.verify(other).isAccepted)
        #expect(try await harness.verify(forged).isAccepted)
    }

    @Test("A plugin that is tried out judges beside, and never decides")
    func shadow() async throws {
        let source = StandInOpinions(decides: false)
        let harness = try await ServiceHarness([
            AppProfile(
                id: .camera, verifiers: Array(try AppProfile.testing(.camera).verifiers.values),
                opinionSources: [.appAttestAttestation: source], policyDigest: [UInt8](repeating: 0xD1, count: 32),
                acceptsSimulated: true)
        ])
        _ = try await harness.enrol()
        #expect(source.state.withLock { $0.compared } == [nil] && source.questions.isEmpty)
    }

    // MARK: Preparation and observation

    @Test("Prepare answers what the plugin makes, its refusal as FAILED_PRECONDITION, and its silence as UNAVAILABLE")
    func prepare() async throws {
        let source = StandInOpinions()
        let harness = try await ServiceHarness([try Self.profile(source, .singleUse)])
        func prepare(_ format: String = Self.format.rawValue) async throws -> Result<Assay_V1_PrepareResponse, RPCError> {
            do {
                return .success(
                    try await harness.call(
                        API.prepare,
                        .with { ($0.app, $0.format, $0.body) = (AppID.camera.text, format, Data("x".utf8)) }))
            } catch let error as RPCError { return .failure(error) }
        }
        func reason(_ result: Result<Assay_V1_PrepareResponse, RPCError>) -> String? {
            if case .failure(let error) = result { "\(error.code) \(error.reason)" } else { nil }
        }
        #expect(reason(try await prepare())?.hasSuffix("nothing_to_prepare") == true)
        #expect(reason(try await prepare("other.format"))?.hasSuffix("format_not_accepted") == true)
        #expect(reason(try await prepare("key-signature"))?.hasSuffix("format_not_accepted") == true)
        #expect(reason(try await prepare("app-attest.assertion"))?.hasSuffix("nothing_to_prepare") == true)
        for name in ["", "Key-Signature", "key signature", String(repeating: "k", count: 65)] {
            #expect(reason(try await prepare(name))?.hasSuffix("invalid_request") == true, "\(name)")
        }
        source.state.withLock { $0.preparation = .failure(.refused(Rejection(.malformed, "no session"))) }
        #expect(reason(try await prepare())?.hasSuffix("malformed") == true)
        source.state.withLock { $0.preparation = .failure(.unavailable("the provider is down", retryAfter: .seconds(7))) }
        let outage = try await prepare()
        #expect(try #require(reason(outage)).hasSuffix("evidence_unavailable"))
        #expect(throws: RPCError.self) { try outage.get() }
        if case .failure(let error) = outage { #expect(error.retryAfterMilliseconds == 7000) }
        let expiry = ServiceHarness.opening.adding(milliseconds: 1000)
        source.state.withLock { $0.preparation = .success(Preparation(body: [1, 2], expiry: expiry)) }
        let made = try await prepare().get()
        #expect(made.body == Data([1, 2]) && made.expiresAtUnixMs == expiry.unixMilliseconds)
    }

    @Test("Verdicts go to the observer of their app, accepted, rejected and repeated ones")
    func observed() async throws {
        let observer = SeenVerdicts()
        let harness = try await ServiceHarness(observer: observer)
        _ = try await harness.enrol(.notes)
        #expect(observer.seen.withLock { $0.isEmpty })
        var (handset, device) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1]
        _ = try await harness.verify(request)
        _ = try await harness.verify(request)
        request.idempotencyKey = []
        let rejected = try await harness.verify(request)
        let seen = observer.seen.withLock { $0 }
        #expect(seen.map(\.rejection?.code) == [nil, nil, nil, rejected.reason])
        #expect(seen.map(\.repeated) == [false, false, true, false] && seen[1].device == device)
        #expect(seen[1].formats == [.appAttestAssertion] && seen[1].purpose == .assert && seen[0].purpose == .register)
    }

    @Test("Observers are told key and counter of accepted evidence, and address and subject of each request, as keyed hashes")
    func observedTraits() async throws {
        let observer = SeenVerdicts()
        let harness = try await ServiceHarness(observer: observer)
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.sourceAddress = SourceAddress(text: "192.0.2.1".utf8)
        _ = try await harness.verify(request)
        // The same counter again.
        let rejected = try await harness.verify(request)
        #expect(!rejected.reason.isEmpty)
        let traits = observer.seen.withLock { $0.map(\.traits) }
        try #require(traits.count == 3)
        #expect(traits[0].key.count == 32 && traits[1].key == traits[0].key && traits[2].key.isEmpty)
        #expect(traits[0].counter == 0 && traits[1].counter > 0 && traits[2].counter == 0)
        #expect(traits[0].address.isEmpty && traits[1].address.count == 32 && traits[2].address == traits[1].address)
        #expect(traits[1].address != traits[1].key)
        #expect(traits[1].model.isEmpty && traits[1].osPatchLevel == 0)
    }
}
