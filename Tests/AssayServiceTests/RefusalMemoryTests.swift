import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import AssayService

@Suite("Remembered refusals")
struct RefusalMemoryTests {
    /// A verdict's content without the id of its request.
    private struct Content: Hashable {
        let decision: Verdict.Decision
        let detail: String
        let findings: [Finding]
        let claims: [Claims.Claim]
        let device: DeviceID?
        let binding: Binding?
        let digests: [[UInt8]]
        let feeds: [FeedVersion]
        let simulated: Bool
        let decidedAt: Timestamp

        init?(_ answer: Answer?) {
            guard let verdict = answer?.verdict else { return nil }
            decision = verdict.decision
            if case .rejected(let rejection, _) = decision { detail = rejection.detail } else { detail = "" }
            (findings, claims, device, binding) = (verdict.findings, verdict.claims.all, verdict.device, verdict.binding)
            (digests, feeds) = ([verdict.evidenceDigest, verdict.policyDigest], verdict.feeds)
            (simulated, decidedAt) = (verdict.simulated, verdict.decidedAt)
        }
    }

    /// A pipeline over the same ledger that remembers nothing.
    private func forgetful(_ harness: ServiceHarness) async throws -> VerificationPipeline {
        VerificationPipeline(
            ledger: harness.ledger, keys: harness.keys,
            subjects: try await SubjectKey(ledger: harness.ledger, vault: ServiceHarness.vault, clock: harness.clock),
            attempts: ChallengeAttempts(), memory: harness.memory)
    }

    /// Asks several times with and without memory; returns how many answers were remembered. Nothing is asked that is accepted: it would
    /// change the ledger for the other one.
    private func compare(
        _ request: VerificationRequest, _ harness: ServiceHarness, _ forgetful: VerificationPipeline, _ name: String
    ) async throws -> UInt64 {
        let before = harness.counters.counts.refusalsRemembered
        for _ in 0..<3 {
            let recomputed = await forgetful.judge([try harness.admitted(request)]).first
            guard recomputed?.isAccepted != true else { return 0 }
            let answer = await harness.pipeline.judge([try harness.admitted(request)]).first
            let (mine, other) = (Content(answer), Content(recomputed))
            #expect(mine == other, "\(name)")
            #expect(mine != nil, "\(name)")
        }
        return harness.counters.counts.refusalsRemembered - before
    }

    // MARK: The repertoire

    private static let attestations: [(name: String, changes: AttestationChanges)] = [
        ("hash", .genuine.clientDataHash { $0[0] ^= 1 }), ("passed hash", .genuine.passedHash { $0[0] ^= 1 }),
        ("nonce", .genuine.nonce { $0[0] ^= 1 }), ("authenticator data", .genuine.authenticatorBytes { $0.append(0) }),
        ("cut authenticator data", .genuine.authenticatorBytes { $0.removeLast(20) }),
        ("counter", .genuine.authenticatorData { $0.signCount = 1 }),
        ("sent authenticator data", .genuine.sentAuthenticatorBytes { $0[0] ^= 1 }),
        ("leaf signer", .genuine.leafSigner(Handset().key.signingKey)),
        ("leaf bytes", .genuine.leafBytes { $0[$0.count - 1] ^= 1 }),
        ("intermediate signer", .genuine.intermediateSigner(Handset().key.signingKey)),
        ("chain order", .genuine.chain { $0.reverse() }), ("short chain", .genuine.chain { $0.removeLast() }),
        ("empty chain", .genuine.chain { $0 = [] }), ("doubled chain", .genuine.chain { $0 += $0 }),
        ("bytes cut", .genuine.bytes { $0.removeLast() }), ("bytes added", .genuine.bytes { $0.append(0) }),
        ("no bytes", .genuine.bytes { $0 = [] }), ("forged extensions", .genuine.forgedExtensions([0xA0])),
    ]

    @Test(
        "the remembered answer to each changed attestation is the one that is computed again", arguments: attestations.indices)
    func attestation(_ index: Int) async throws {
        let (name, changes) = Self.attestations[index]
        let harness = try await ServiceHarness()
        let request = try Handset().registration(try await harness.challenge(.register), changes: changes)
        let remembered = try await compare(request, harness, try await forgetful(harness), name)
        let final = try await harness.verify(request)
        // Remembered is what can never be accepted, and that alone.
        #expect((remembered > 0) == (final.retry == .never), "\(name): \(final.reason)")
    }

    /// What is refused before anything is compared with the request.
    private static let flawedAlone: Set<String> = [
        "leaf signer", "leaf bytes", "intermediate signer", "chain order", "short chain", "empty chain", "doubled chain",
        "bytes cut",
        "bytes added",
        "no bytes",
    ]

    @Test(
        "evidence that is bad by itself is refused from memory under any further challenge, with the answer that is computed again",
        arguments: attestations.indices)
    func otherChallenge(_ index: Int) async throws {
        let (name, changes) = Self.attestations[index]
        let harness = try await ServiceHarness()
        let forgetful = try await forgetful(harness)
        var request = try Handset().registration(try await harness.challenge(.register), changes: changes)
        let first = try await harness.verify(request)
        let before = harness.counters.counts.refusalsRemembered
        for _ in 0..<2 {
            request.challenge = try await harness.challenge(.register)
            let answer = await harness.pipeline.judge([try harness.admitted(request)]).first
            let recomputed = await forgetful.judge([try harness.admitted(request)]).first
            #expect(Content(answer) == Content(recomputed), "\(name)")
        }
        let remembered = harness.counters.counts.refusalsRemembered - before
        #expect((remembered > 0) == (Self.flawedAlone.contains(name) && first.retry == .never), "\(name): \(first.reason)")
    }

    @Test(
        "evidence that is bad by itself is judged again for another purpose and another app, and with a challenge that is not fresh"
    )
    func otherScope() async throws {
        let harness = try await ServiceHarness()
        let request = try await bad(harness)
        #expect(try await harness.verify(request).retry == .never)
        var stale = request
        stale.challenge = try await harness.challenge(.register)
        stale.context = [1]
        #expect(try await harness.verify(stale).rejection == .challengeInvalid)
        var other = request
        other.app = .notes
        _ = try await harness.verify(other)
        var assertion = request
        (assertion.purpose, assertion.challenge) = (.assert, try await harness.challenge(.assert))
        _ = try await harness.verify(assertion)
        #expect(harness.counters.counts.refusalsRemembered == 0)
    }

    @Test("the remembered answer to each changed assertion is the one that is computed again")
    func assertions() async throws {
        let harness = try await ServiceHarness()
        let forgetful = try await forgetful(harness)
        let (handset, _) = try await harness.enrol()
        let changes: [(String, AssertionChanges)] = [
            ("hash", .genuine.clientDataHash { $0[0] ^= 1 }), ("nonce", .genuine.nonce { $0[0] ^= 1 }),
            ("hashing", .genuine.hashing(.single)), ("signer", .genuine.signer(Handset().key.signingKey)),
            ("signature", .genuine.signature { $0.raw + [0] }), ("sent", .genuine.sentAuthenticatorBytes { $0[33] ^= 1 }),
            ("cut", .genuine.bytes { $0.removeLast() }), ("added", .genuine.bytes { $0.append(0) }),
            ("trailing", .genuine.authenticatorBytes { $0.append(0) }), ("counter", .genuine.counter(0)),
        ]
        var remembered: UInt64 = 0
        for (name, change) in changes {
            var copy = handset
            let request = try copy.assertion(try await harness.challenge(.assert), changes: change)
            remembered += try await compare(request, harness, forgetful, name)
        }
        #expect(remembered >= 8)
    }

    @Test("the remembered answer to mutated evidence is the one that is computed again", arguments: 0..<8 as Range<UInt64>)
    func mutated(_ seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let harness = try await ServiceHarness()
        let forgetful = try await forgetful(harness)
        var remembered: UInt64 = 0
        for number in 0..<12 {
            var request = try Handset().registration(try await harness.challenge(.register))
            var body = request.evidence.first?.body ?? []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                body[Int.random(in: body.indices, using: &numbers)] ^= UInt8.random(in: 1...255, using: &numbers)
            }
            request.evidence = [
                Evidence(format: .appAttestAttestation, keyID: request.evidence.first?.keyID ?? [], body: body)
            ]
            remembered += try await compare(request, harness, forgetful, "\(seed).\(number)")
        }
        #expect(remembered > 0)
    }

    @Test(
        "the remembered answer to each attestation of the shared vectors is the one that is computed again",
        .enabled(if: SharedVectors.folder("app-attest") != nil))
    func vectors() async throws {
        let folder = try #require(SharedVectors.folder("app-attest"))
        var (judged, remembered) = (0, UInt64(0))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".json") {
            let vector =
                try JSONSerialization.jsonObject(with: try Data(contentsOf: folder.appending(path: name))) as? [String: Any]
            guard let vector, vector["kind"] as? String == "app-attest.attestation",
                let input = vector["input"] as? [String: Any],
                let time = (vector["verify_at"] as? String).flatMap(Timestamp.init(rfc3339:)),
                let team = input["team_id"] as? String, let bundle = input["bundle_id"] as? String,
                let body = (input["attestation_b64"] as? String).flatMap({ Base64.standard.decode($0) }),
                let key = (input["key_id_b64"] as? String).flatMap({ Base64.standard.decode($0) }),
                let challenge = (input["challenge_b64"] as? String).flatMap({ Base64.standard.decode($0) })
            else { continue }
            let roots = (input["policy"] as? [String: Any])?["extra_roots_pem"] as? [String] ?? []
            let profile = try AppProfile.testing(
                .camera, binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 86_400_000)),
                identities: [AppAttestIdentity(appID: "\(team).\(bundle)", platform: .iOS, environments: [.production])],
                anchors: TrustAnchor.appAttest + roots.map { try TrustAnchor(name: "vector", pem: $0, simulated: false) })
            let harness = try await ServiceHarness([profile], clock: FixedClock(time))
            let request = VerificationRequest(
                app: .camera, purpose: .register, challenge: [],
                evidence: [Evidence(format: .appAttestAttestation, keyID: key, body: body)],
                binding: .callerOwned(SHA256.bytes(of: challenge)))
            remembered += try await compare(request, harness, try await forgetful(harness), name)
            judged += 1
        }
        #expect(judged > 20 && remembered > 20, "\(judged) vectors, \(remembered) answers")
    }

    // MARK: What is not remembered

    /// A registration that is refused for good: another key signed the leaf.
    private func bad(_ harness: ServiceHarness, _ handset: Handset = Handset()) async throws -> VerificationRequest {
        try handset.registration(
            try await harness.challenge(.register), changes: .genuine.leafSigner(Handset().key.signingKey))
    }

    @Test("a refused request is answered from memory under its own id, and counted")
    func remembered() async throws {
        let harness = try await ServiceHarness()
        let request = try await bad(harness)
        let first = try await harness.verify(request)
        #expect(first.retry == .never && harness.counters.counts.refusalsRemembered == 0)
        var again = try await harness.verify(request)
        #expect(harness.counters.counts.refusalsRemembered == 1 && again.requestID != first.requestID)
        again.requestID = first.requestID
        #expect(again == first)
        let rejected = harness.counters.counts.rejected.values.reduce(0, +)
        #expect(rejected == 2)
    }

    @Test("evidence that was compared with its request is judged again in any request that differs in a field")
    func otherFields() async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration(
            try await harness.challenge(.register), changes: .genuine.authenticatorData { $0.signCount = 1 })
        #expect(try await harness.verify(request).rejection == .counterNotZero)
        let other = try await harness.challenge(.register)
        let changes: [(inout VerificationRequest) -> Void] = [
            { $0.challenge = other }, { $0.subject = [1] }, { $0.context = [1] }, { $0.app = .notes },
            { $0.binding = .clientData(payloadHash: [UInt8](repeating: 1, count: 32)) },
            { $0.evidence[0] = Evidence(format: .appAttestAttestation, keyID: [1], body: $0.evidence[0].body) },
        ]
        for change in changes {
            var varied = request
            change(&varied)
            _ = try await harness.verify(varied)
        }
        #expect(harness.counters.counts.refusalsRemembered == 0)
    }

    @Test(
        "the idempotency key and the source address bear on no verdict: a request that differs in them alone is answered from memory"
    )
    func unrelatedFields() async throws {
        let harness = try await ServiceHarness()
        var request = try await bad(harness)
        _ = try await harness.verify(request)
        request.idempotencyKey = [1]
        request.sourceAddress = SourceAddress(text: "192.0.2.1".utf8)
        #expect(try await harness.verify(request).retry == .never)
        #expect(harness.counters.counts.refusalsRemembered == 1)
    }

    @Test(
        "good evidence is accepted after any number of refusals over the same challenge, and an acceptance is never remembered")
    func neverAgainstGood() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let request = try await bad(harness, handset)
        for _ in 0..<3 { #expect(try await !harness.verify(request).isAccepted) }
        let good = try handset.registration(request.challenge)
        #expect(try await harness.verify(good).isAccepted)
        #expect(try await harness.verify(good).rejection == .challengeReused)
        #expect(harness.counters.counts.refusalsRemembered == 2)
    }

    @Test("a refusal that an operator, the registry or time can change is not remembered")
    func changeable() async throws {
        let harness = try await ServiceHarness()
        var handset = Handset()
        let unknown = try handset.assertion(try await harness.challenge(.assert))
        for _ in 0..<2 { #expect(try await harness.verify(unknown).rejection == .unknownDevice) }
        #expect(try await harness.verify(try handset.registration(try await harness.challenge(.register))).isAccepted)
        #expect(try await harness.verify(unknown).isAccepted)
        let stranger = Handset(authority: Handset.stranger)
        let untrusted = try stranger.registration(try await harness.challenge(.register))
        for _ in 0..<2 { #expect(try await harness.verify(untrusted).rejection == .untrustedRoot) }
        #expect(harness.counters.counts.refusalsRemembered == 0)
    }

    @Test("a repetition is an attempt with its challenge like the first one")
    func attempts() async throws {
        let harness = try await ServiceHarness()
        let request = try await bad(harness)
        for _ in 0..<Int(ChallengeAttempts.limit) { #expect(try await harness.verify(request).retry == .never) }
        #expect(try await harness.verify(request).rejection == .challengeAttemptsExceeded)
    }

    @Test("a refusal is forgotten after three minutes, with its challenge, and while the clock is behind it")
    func forgotten() async throws {
        let clock = FixedClock(ServiceHarness.opening)
        let harness = try await ServiceHarness(clock: clock)
        let request = try await bad(harness)
        _ = try await harness.verify(request)
        clock.set(ServiceHarness.opening.adding(milliseconds: -1))
        _ = try await harness.verify(request)
        clock.set(ServiceHarness.opening.adding(milliseconds: RefusalMemory.period + 1))
        _ = try await harness.verify(request)
        #expect(harness.counters.counts.refusalsRemembered == 0)
        let short = try Handset().registration(
            try await harness.challenge(.register, milliseconds: 1000), at: clock.now(),
            changes: .genuine.leafSigner(Handset().key.signingKey))
        _ = try await harness.verify(short)
        clock.set(clock.now().adding(milliseconds: 1001))
        #expect(try await harness.verify(short).rejection == .challengeExpired)
    }

    @Test("a new version of the app's revocation list forgets, and so does one that is missing")
    func feed() async throws {
        let board = RevocationBoard()
        let harness = try await ServiceHarness.android(board: board)
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let challenge = try await harness.challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        // The signature of the leaf.
        let changes = KeyAttestationChanges.genuine.certificateBytes(0) { $0[$0.count - 1] ^= 1 }
        let chain = try key.attest(challenge: data.bytes, at: ServiceHarness.opening, changes: changes)
        let request = VerificationRequest(
            app: .camera, purpose: .register, challenge: challenge,
            evidence: [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))])
        func list(_ id: String) -> RevocationKnowledge {
            .snapshot(
                RevocationSnapshot(feed: FeedVersion(name: "test-list", id: id, asOf: ServiceHarness.opening), entries: [:]))
        }
        board.set(list("1"))
        #expect(try await harness.verify(request).retry == .never)
        _ = try await harness.verify(request)
        #expect(harness.counters.counts.refusalsRemembered == 1)
        board.set(list("2"))
        _ = try await harness.verify(request)
        #expect(harness.counters.counts.refusalsRemembered == 1)
        board.set(.unavailable("too old"))
        _ = try await harness.verify(request)
        #expect(harness.counters.counts.refusalsRemembered == 1)
    }

    @Test("no more than a thousand refusals are remembered, the youngest")
    func bound() throws {
        let profile = try AppProfile.testing(.camera)
        let counters = VerdictCounters()
        let memory = RefusalMemory(counters: counters)
        func admitted(_ number: Int) -> AuthorizedRequest {
            let body = Array("\(number)".utf8)
            return AuthorizedRequest(
                request: VerificationRequest(
                    app: .camera, purpose: .register, challenge: [],
                    evidence: [Evidence(format: .appAttestAttestation, keyID: [], body: body)], binding: .inEvidence),
                profile: profile,
                caller: .demo, now: ServiceHarness.opening, requestID: body)
        }
        let count = RefusalMemory.capacity * 3 + 7
        for number in 0..<count {
            let request = admitted(number)
            let verdict = Verdict(refusing: request, Rejection(.malformed, "test"), check: "evidence", device: nil)
            memory.remember(
                Judgement.Refusal(verdict: verdict, basis: .request), of: request, try Freshness(of: request, with: nil))
        }
        let known = (0..<count).filter { memory.verdict(on: admitted($0)) != nil }
        #expect(known == Array(count - RefusalMemory.capacity..<count))
    }
}
