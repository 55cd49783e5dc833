import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import DeviceCheck
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Look-ups by hash")
struct LookupTests {
    static let photo = Array("a photo".utf8)
    static let hash = ClientData.payloadHash(photo)

    static func rule(days: Int64 = 90) -> LookupRule {
        var rule = LookupRule()
        rule.age = days * 86_400_000
        return rule
    }

    private func harness(
        _ camera: AppProfile? = nil, ledger: WatchedLedger = WatchedLedger(),
        clock: FixedClock = FixedClock(ServiceHarness.opening),
        replaying: Bool = true
    ) async throws -> ServiceHarness {
        try await ServiceHarness(
            [try camera ?? .testing(.camera, lookup: Self.rule()), .testing(.notes)], ledger: ledger, clock: clock,
            replaying: replaying)
    }

    private func find(
        _ harness: ServiceHarness, _ hash: [UInt8] = hash, app: AppID = .camera
    ) async throws -> Assay_V1_FindVerdictsResponse {
        try await harness.call(API.findVerdicts, .with { ($0.app, $0.payloadSha256) = (app.text, Data(hash)) })
    }

    /// The error that a look-up comes to.
    private func failure(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_FindVerdictsRequest) -> Void
    ) async throws -> RPCError? {
        var request = Assay_V1_FindVerdictsRequest.with { ($0.app, $0.payloadSha256) = (AppID.camera.text, Data(Self.hash)) }
        change(&request)
        do {
            _ = try await harness.call(API.findVerdicts, request)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    /// An accepted upload of a payload.
    private func upload(
        _ handset: inout Handset, to harness: ServiceHarness, _ payload: [UInt8]? = photo
    ) async throws -> Assay_V1_Verdict {
        let verdict = try await harness.verify(
            try handset.assertion(try await harness.challenge(.assert, app: handset.app), payload: payload))
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return verdict
    }

    /// What the ledger keeps under a file.
    private func kept(_ harness: ServiceHarness, _ hash: [UInt8] = hash, app: AppID = .camera) async throws -> [IndexedVerdict]
    {
        try await harness.ledger.memory.verdicts(
            onPayload: ServiceHarness.payloads.name(of: hash, in: app), at: harness.clock.now(), limit: 100)
    }

    // MARK: Finding

    @Test("A photo that was accepted is found by its hash, with its verdict and what that means")
    func found() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let verdict = try await upload(&handset, to: harness)
        harness.clock.advance(milliseconds: 3_600_000)
        let answer = try await find(harness)
        #expect(answer.app == "camera" && Array(answer.payloadSha256) == Self.hash && answer.found && !answer.truncated)
        #expect(answer.answeredAtUnixMs == harness.clock.now().unixMilliseconds && answer.noteCode.isEmpty)
        let found = try #require(answer.verdicts.first)
        #expect(answer.verdicts.count == 1 && found.requestID == verdict.requestID && found.decision == .accepted)
        #expect(found.assurance == .secureElement && found.decidedAtUnixMs == verdict.decidedAtUnixMs)
        #expect(found.purpose == .assert && found.formats == ["app-attest.assertion"] && found.platform == "ios")
        #expect(found.match == .payload && found.simulated && found.deviceState == .registered)
        #expect(found.limits == verdict.limits && !found.limits.isEmpty)
        #expect(found.confidenceLevel == .unspecified && found.evidenceModelJson.isEmpty)
        #expect(found.noteCode == "simulated" && found.note == LookupNote.simulated.sentence)
    }

    @Test("That nothing is found is an answer with a note, costs as many reads as a find, and is the same for every reason")
    func nothing() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(ledger: ledger)
        var (handset, _) = try await harness.enrol()
        _ = try await upload(&handset, to: harness)
        func reads(_ hash: [UInt8]) async throws -> ([Int], Assay_V1_FindVerdictsResponse) {
            let before = [ledger.asked(.payload), ledger.asked(.device), ledger.asked(.subject), ledger.asked(.verdict)]
            let answer = try await find(harness, hash)
            let after = [ledger.asked(.payload), ledger.asked(.device), ledger.asked(.subject), ledger.asked(.verdict)]
            return (zip(after, before).map(-), answer)
        }
        let (cost, found) = try await reads(Self.hash)
        let (otherCost, missed) = try await reads([UInt8](repeating: 9, count: 32))
        #expect(found.found && cost == [1, 1, 0, 0] && otherCost == cost)
        #expect(!missed.found && missed.verdicts.isEmpty && missed.noteCode == "nothing_found" && !missed.note.isEmpty)
        let counted = try #require(harness.counters.apps.first { $0.app == "camera" })
        #expect(counted.lookups == [true: 1, false: 1])
        // Expired: the answer has no other words.
        harness.clock.advance(milliseconds: 91 * 86_400_000)
        let expired = try await find(harness)
        #expect(!expired.found && expired.note == missed.note && expired.noteCode == missed.noteCode)
    }

    @Test("Several verdicts on one photo are found, the newest ten of them, the newest first")
    func several() async throws {
        let harness = try await harness(replaying: false)
        var handsets: [Handset] = []
        for _ in 0..<3 { handsets.append(try await harness.enrol().handset) }
        var requests: [Data] = []
        for number in 0..<12 {
            harness.clock.advance(milliseconds: 1000)
            requests.append(try await upload(&handsets[number % 3], to: harness).requestID)
            let answer = try await find(harness)
            #expect(
                answer.verdicts.map(\.requestID) == Array(requests.reversed().prefix(10)) && answer.truncated == (number >= 10))
        }
    }

    @Test("An app finds its own verdicts alone")
    func apps() async throws {
        let harness = try await ServiceHarness([
            .testing(.camera, lookup: Self.rule()), .testing(.notes, lookup: Self.rule()),
        ])
        var (handset, _) = try await harness.enrol(.notes)
        _ = try await upload(&handset, to: harness)
        #expect(try await find(harness, app: .notes).found)
        #expect(try await !find(harness, app: .camera).found)
        #expect(try await kept(harness, app: .camera).isEmpty)
    }

    @Test("A capture is found by each of its files, and by its document, with the level and model of its verdict")
    func captures() async throws {
        let profile = try AppProfile.testing(
            .camera, anchors: [TrustAnchor(name: "root", pem: Handset.authority.rootPEM, simulated: false)],
            confidence: ConfidenceRule(profile: .weighted), lookup: Self.rule())
        let harness = try await harness(profile)
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert), payload: ConfidenceTests.document)
        request.signals = ConfidenceTests.document
        let verdict = try await harness.verify(request)
        try #require(verdict.isAccepted && verdict.confidence.level == .high, "\(verdict.reason)")
        let media = [UInt8](repeating: 0xAB, count: 32)
        for (hash, match) in [
            (ClientData.payloadHash(ConfidenceTests.document), Assay_V1_FoundVerdict.Match.payload), (media, .media),
        ] {
            let found = try #require(try await find(harness, hash).verdicts.first, "\(match)")
            #expect(found.match == match && found.requestID == verdict.requestID && !found.simulated)
            #expect(found.confidenceLevel == .high && found.confidenceScore.millionths == 940_800)
            #expect(found.evidenceModelJson == verdict.confidence.evidenceModelJson && !found.evidenceModelJson.isEmpty)
            #expect(found.noteCode == "confidence_high" && found.note == LookupNote.highConfidence.sentence)
        }
    }

    @Test("The page has every note and its word as they are answered")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/reference/look-up-notes.md"), encoding: .utf8)
        for note in LookupNote.allCases { #expect(page.contains("| `\(note.rawValue)` | \(note.sentence) |"), "\(note)") }
    }

    // MARK: What is kept

    @Test("An app without the section keeps nothing, and a look-up of it is refused by a word of its own")
    func optIn() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol(.notes)
        _ = try await upload(&handset, to: harness)
        #expect(try await kept(harness, app: .notes).isEmpty)
        let refused = try #require(try await failure(harness) { $0.app = AppID.notes.text })
        #expect(refused.code == .failedPrecondition && refused.reason == "lookup_not_configured")
    }

    @Test("Nothing is kept of a rejected verdict, of one that binds no payload, and where the device signed none of the hash")
    func nothingKept() async throws {
        let embedded = try #require(EmbeddedChallenge(place: .offset(0), encoding: .raw))
        let harness = try await harness(
            .testing(
                .camera, binding: BindingRule(embedded: embedded, callerOwned: CallerOwnedRule(spendEvidenceFor: nil)),
                lookup: Self.rule()))
        var (handset, _) = try await harness.enrol()
        _ = try await upload(&handset, to: harness, nil)
        var stranger = Handset()
        #expect(try await !harness.verify(stranger.assertion(harness.challenge(.assert), payload: Self.photo)).isAccepted)
        let challenge = try await harness.challenge(.assert)
        let data = challenge + Self.hash
        let own = VerificationRequest(
            app: .camera, purpose: .assert, challenge: challenge,
            evidence: [try handset.assertion(over: Binding(embedded: data).clientDataHash)], binding: .embedded(data))
        #expect(try await harness.verify(own).isAccepted, "in the app's own client data the payload's hash is not known as one")
        let owned = VerificationRequest(
            app: .camera, purpose: .assert, challenge: [], evidence: [try handset.assertion(over: Self.hash)],
            binding: .callerOwned(Self.hash))
        #expect(try await harness.verify(owned).isAccepted, "the caller's hash may be of anything")
        #expect(try await kept(harness).isEmpty)
        #expect(try await !find(harness).found)
    }

    @Test("A hash that the caller states beside evidence which is bound to nothing is not kept")
    func boundToNothing() async throws {
        let harness = try await harness(
            AppProfile(
                id: .camera, verifiers: [DeviceCheckVerifier(policy: DeviceCheckPolicy())],
                answerSources: [.deviceCheck: UnsetBits()], policyDigest: [1], lookup: Self.rule()))
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: try await harness.challenge(.assert),
                evidence: [Evidence(format: .deviceCheck, keyID: [], body: [1])], binding: .clientData(payloadHash: Self.hash)))
        #expect(verdict.isAccepted && Array(verdict.bound.payloadSha256) == Self.hash)
        #expect(try await kept(harness).isEmpty)
    }

    @Test("A registration that binds a payload is found, too; a request for a certificate is not")
    func otherPurposes() async throws {
        let harness = try await harness()
        var handset = Handset()
        let request = try handset.registration(try await harness.challenge(.register), payload: Self.photo)
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await find(harness).verdicts.map(\.purpose) == [.register])

        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        let challenge = try await harness.challenge(.provision)
        let hash = ClientData.payloadHash(csr)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payloadHash: hash))
        let evidence = try #require(try handset.assertion(over: data.hash).message)
        let issued = try await harness.call(
            API.issueCertificate,
            .with {
                ($0.app, $0.challenge, $0.evidence) = (AppID.camera.text, Data(challenge), [evidence])
                ($0.payloadSha256, $0.csr) = (Data(hash), Data(csr))
            })
        #expect(issued.verdict.isAccepted, "\(issued.verdict.detail)")
        #expect(try await kept(harness, hash).isEmpty)
    }

    @Test("A request that is repeated is kept once")
    func repeated() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert), payload: Self.photo)
        request.idempotencyKey = [1]
        let verdict = try await harness.verify(request)
        for _ in 0..<3 { #expect(try await harness.verify(request).repeated) }
        #expect(try await find(harness).verdicts.map(\.requestID) == [verdict.requestID])
        #expect(try await kept(harness).count == 1)
    }

    @Test("The index has neither hash nor verdict in clear")
    func secrecy() async throws {
        let harness = try await harness(
            .testing(.camera, confidence: ConfidenceRule(profile: .weighted), lookup: Self.rule()))
        var (handset, _) = try await harness.enrol(subject: Array("anna".utf8))
        var request = try handset.assertion(try await harness.challenge(.assert), payload: ConfidenceTests.document)
        (request.signals, request.subject) = (ConfidenceTests.document, Array("anna".utf8))
        let verdict = try await harness.verify(request)
        try #require(verdict.isAccepted)
        let media = [UInt8](repeating: 0xAB, count: 32)
        for hash in [ClientData.payloadHash(ConfidenceTests.document), media] {
            let entry = try #require(try await kept(harness, hash).first)
            let stored = entry.key + entry.content
            let secrets = [
                hash, Array(Hex.encode(hash).utf8), media, Array(Hex.encode(media).utf8), Array(verdict.requestID),
                Array("anna".utf8), Array("confidence_level".utf8),
            ]
            for secret in secrets { #expect(!stored.contains(secret)) }
            #expect(Array(verdict.deviceID) == entry.device?.bytes, "the device, so that it can be forgotten")
        }
    }

    // MARK: Later

    @Test("A found verdict says how its device is now: registered, blocked, replaced")
    func deviceStates() async throws {
        let harness = try await harness()
        var (handset, device) = try await harness.enrol(subject: Array("anna".utf8))
        _ = try await upload(&handset, to: harness)
        func state() async throws -> [Assay_V1_FoundVerdict.DeviceState] { try await find(harness).verdicts.map(\.deviceState) }
        #expect(try await state() == [.registered])
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: harness.clock.now())
        #expect(try await state() == [.blocked])
        _ = try await harness.ledger.unblock(.device(device))
        #expect(try await state() == [.registered])
        var request = try Handset().registration(try await harness.challenge(.register))
        (request.subject, request.replaces) = (Array("anna".utf8), device)
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await state() == [.replaced])
    }

    @Test("Forgetting a device removes what is found of it, and nothing of others")
    func forgotten() async throws {
        let harness = try await harness()
        var (first, device) = try await harness.enrol()
        var (second, _) = try await harness.enrol()
        _ = try await upload(&first, to: harness)
        let stays = try await upload(&second, to: harness)
        #expect(try await find(harness).verdicts.count == 2)
        _ = try await harness.call(
            API.forgetDevice, .with { ($0.app, $0.deviceID) = (AppID.camera.text, Data(device.bytes)) })
        #expect(try await find(harness).verdicts.map(\.requestID) == [stays.requestID])
        #expect(try await kept(harness).count == 1)
    }

    @Test("A verdict is found for as long as the section says, counted from the verdict, and then forgotten")
    func expiry() async throws {
        let harness = try await harness(.testing(.camera, lookup: Self.rule(days: 1)))
        var (handset, _) = try await harness.enrol()
        _ = try await upload(&handset, to: harness)
        harness.clock.advance(milliseconds: 86_400_000)
        #expect(try await find(harness).found)
        harness.clock.advance(milliseconds: 1)
        #expect(try await !find(harness).found)
        try await harness.ledger.purge(now: harness.clock.now())
        let name = ServiceHarness.payloads.name(of: Self.hash, in: .camera)
        #expect(try await harness.ledger.memory.verdicts(onPayload: name, at: ServiceHarness.opening, limit: 1).isEmpty)
    }

    // MARK: Failures

    @Test("A malformed look-up is refused before anything is read")
    func malformed() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(ledger: ledger)
        for count in [0, 31, 33, 64] {
            let found = try await failure(harness) { $0.payloadSha256 = Data(count: count) }
            let refused = try #require(found, "\(count) bytes")
            #expect(refused.code == .invalidArgument && refused.message.contains("payload_sha256"), "\(count) bytes")
        }
        let address = try #require(try await failure(harness) { $0.sourceAddress = "192.0.2.1:80" })
        #expect(address.code == .invalidArgument && address.message.contains("source_address"))
        let shape = try await failure(harness) {
            $0.results = [
                .with { ($0.shape, $0.audience) = (.plainJws, "a") }, .with { ($0.shape, $0.audience) = (.session, "a") },
            ]
        }
        #expect(shape?.code == .invalidArgument && shape?.message.contains("results[1].shape") == true)
        #expect(ledger.asked(.payload) == 0)
    }

    @Test("A ledger that fails, and an entry that was written by another version, answer no look-up")
    func failures() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(ledger: ledger)
        ledger.fail(.payload, with: .unavailable("test"))
        #expect(try await failure(harness) { _ in }?.reason == "ledger_unavailable")
        ledger.fail(.payload, with: nil)
        ledger.fail(.device, with: .unavailable("test"))
        #expect(try await failure(harness) { _ in }?.reason == "ledger_unavailable", "also where nothing is found")
        ledger.fail(.device, with: nil)
        func keep(_ content: [UInt8]) async throws {
            let now = harness.clock.now()
            let name = ServiceHarness.payloads.name(of: Self.hash, in: .camera)
            let entry = LedgerEntry(
                time: now, spends: [LedgerEntry.Spend(token: SecureRandom.bytes(16), expiry: now.adding(milliseconds: 1000))],
                audit: AuditRecord(
                    requestID: SecureRandom.bytes(16), caller: "test", app: .camera, purpose: .assert, device: nil,
                    assurance: .hardware, evidenceDigest: [], policyDigest: [], simulated: false, claimsDigest: []),
                lookups: [
                    IndexedVerdict(key: name, device: nil, time: now, until: now.adding(milliseconds: 1000), content: content)
                ])
            #expect(try await ledger.commit([entry]) == [.committed])
        }
        try await keep(try ServiceHarness.payloads.seal([0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2], under: Self.hash, in: .camera))
        #expect(try await failure(harness) { _ in }?.reason == "ledger_unavailable")
        try await keep([1, 2, 3])
        #expect(try await failure(harness) { _ in }?.reason == "ledger_corrupt")
    }
}

extension [UInt8] {
    /// Whether these bytes stand in it somewhere, in this order.
    fileprivate func contains(_ part: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: part) } }
}
