import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Recordings of what verdicts went by", .timeLimit(.minutes(30)))
struct FactRecorderTests {
    private func harness(_ rule: RecordingRule?) async throws -> ServiceHarness {
        try await ServiceHarness(
            [try AppProfile.testing(.camera).followed(recording: rule), .testing(.notes)], replaying: false)
    }

    /// A registration, an upload, one that uses its challenge again, and one whose signature is cut.
    private func traffic(_ harness: ServiceHarness) async throws -> (handset: Handset, device: DeviceID) {
        var (handset, device) = try await harness.enrol(subject: Array("user 7".utf8))
        let challenge = try await harness.challenge(.assert)
        #expect(try await harness.verify(try handset.assertion(challenge)).isAccepted)
        #expect(try await harness.verify(try handset.assertion(challenge)).rejection == .challengeReused)
        let forged = try await harness.assert(&handset, changes: .genuine.signature { _ in [0x30, 0] })
        #expect(forged.rejection != nil)
        return (handset, device)
    }

    private func recordings(_ harness: ServiceHarness) async throws -> [Recording] {
        try await harness.recordings.all().map { try #require(Recording(decoding: $0.recording)) }
    }

    @Test("An app without the section records nothing")
    func off() async throws {
        let harness = try await harness(nil)
        _ = try await traffic(harness)
        #expect(try await harness.recordings.all().isEmpty && harness.factRecorder.count == 0)
    }

    @Test("Each verdict is recorded with its claims and facts, and says whether the policy decided")
    func on() async throws {
        let harness = try await harness(.all)
        let (handset, device) = try await traffic(harness)
        _ = try await harness.enrol(.notes)
        let found = try await recordings(harness)
        #expect(found.count == 4, "those of the other app are not recorded")
        let decisions = found.map(\.record.decision)
        #expect(decisions == [.accepted, .accepted, .rejected, .rejected])
        #expect(found.allSatisfy { $0.record.request.subject.isEmpty && $0.record.request.app == .camera })
        let (first, second) = (try #require(found.first?.pieces.first), try #require(found[1].pieces.first))
        #expect(
            first.registers && first.facts.device?.id == device && first.facts.device?.registration.keyID == handset.key.keyID)
        #expect(!second.registers && second.facts.device?.id == device && second.claims.integer("sign_count") == 1)
        #expect(
            found[0].isPolicyDecision && found[1].isPolicyDecision && !found[2].isPolicyDecision && found[3].isPolicyDecision)
        #expect(found.allSatisfy { !$0.record.findings.isEmpty })
        #expect(try await harness.recordings.all().allSatisfy { $0.evidence == nil })
    }

    @Test("No evidence, challenge, receipt or subject is in a recording")
    func secrecy() async throws {
        let harness = try await ServiceHarness.android()
        let recorded = try await ServiceHarness(
            [try AppProfile.android(board: RevocationBoard()).followed(recording: .all)], ledger: harness.ledger)
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let challenge = try await recorded.challenge(.register)
        var request = try key.registration(challenge)
        request.subject = Array("a very secret subject".utf8)
        #expect(try await recorded.verify(request).isAccepted)
        let apple = try await self.harness(.all)
        let handset = Handset()
        let second = try await apple.challenge(.register)
        let attestation = try handset.registration(second)
        #expect(try await apple.verify(attestation).isAccepted)
        let receipt = try #require(
            try await apple.ledger.device(DeviceKey(app: .camera, keyID: handset.key.keyID))?.registration.receipt)
        try #require(receipt.count > 32)
        let contents = try await recorded.recordings.all() + apple.recordings.all()
        #expect(contents.count == 2)
        for content in contents {
            let bytes = Data(content.recording)
            for secret in [challenge, second, request.subject, receipt] { #expect(bytes.range(of: Data(secret)) == nil) }
            for piece in request.evidence + attestation.evidence {
                #expect(bytes.range(of: Data(piece.body.prefix(64))) == nil)
                for part in piece.parts ?? [] { #expect(bytes.range(of: Data(part.prefix(64))) == nil) }
            }
        }
    }

    @Test("Shares of acceptances and rejections are recorded, each by its own")
    func shares() async throws {
        var rule = RecordingRule()
        rule.accepted = 0
        let rejections = try await harness(rule)
        _ = try await traffic(rejections)
        #expect(try await recordings(rejections).map { $0.record.decision } == [.rejected, .rejected])
        (rule.accepted, rule.rejected) = (0.25, 0)
        let taken = (0..<4000).filter { _ in rule.takes(SecureRandom.bytes(16), isAccepted: true) }.count
        #expect((800...1200).contains(taken), "\(taken) of 4000")
        #expect(!(0..<100).contains { _ in rule.takes(SecureRandom.bytes(16), isAccepted: false) })
    }

    @Test("A device that is forgotten has no recordings any more, and a rejection that names none stays")
    func forgetting() async throws {
        let harness = try await harness(.withEvidence)
        let (_, device) = try await traffic(harness)
        let (_, other) = try await harness.enrol()
        _ = try await harness.call(
            API.forgetDevice, .with { ($0.app, $0.deviceID) = ("camera", Data(device.bytes)) })
        let left = try await recordings(harness)
        #expect(left.allSatisfy { $0.record.device != device } && left.contains { $0.record.device == other })
    }

    @Test("Kept evidence is encrypted, is opened beside its recording alone, and is deleted by itself")
    func evidence() async throws {
        let harness = try await harness(.withEvidence)
        let handset = Handset()
        let request = try handset.registration(try await harness.challenge(.register))
        let verdict = try await harness.verify(request)
        let device = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        let content = try #require(try await harness.recordings.all().first)
        let sealed = try #require(content.evidence)
        let start = Data(request.evidence[0].body.prefix(32))
        #expect(Data(sealed.sealed).range(of: start) == nil)
        let opened = try #require(harness.factRecorder.evidence(of: content))
        let evidence = try #require(RecordedEvidence(decoding: opened))
        #expect(evidence.request.evidence == request.evidence && evidence.request.binding == .clientData(payloadHash: nil))
        let swapped = RecordingContent(recording: content.recording + [0], evidence: sealed)
        #expect(harness.factRecorder.evidence(of: swapped) == nil)
        let foreign = FactRecorder(
            harness.recordings, vault: SecretVault(key: SecureRandom.bytes(32)), clock: harness.clock)
        #expect(foreign.evidence(of: content) == nil)
        let deleted = try await harness.call(
            API.deleteRecordings, .with { ($0.app, $0.deviceID, $0.evidenceOnly) = ("camera", Data(device.bytes), true) })
        #expect(deleted.deleted == 1)
        let left = try await harness.recordings.all()
        #expect(left.count == 1 && left[0].evidence == nil && left[0].recording == content.recording)
    }

    @Test(
        "Of a request that was refused early the evidence is kept up to 64 KiB, and is not appraised for the recording",
        arguments: [60_000, 66_000])
    func refusedEarly(size: Int) async throws {
        let harness = try await harness(.withEvidence)
        var request = try Handset().registration(try await harness.challenge(.register))
        request.evidence = [Evidence(format: .playIntegrity, keyID: [], body: [UInt8](repeating: 0x61, count: size))]
        #expect(try await harness.verify(request).rejection == .formatNotAccepted)
        let content = try #require(try await harness.recordings.all().first)
        #expect((content.evidence != nil) == (size < 65_536))
        #expect(Recording(decoding: content.recording)?.isPolicyDecision == true)
        // Its evidence is good, and the challenge is not: nothing but the challenge was looked at.
        var foreign = try Handset().registration(try await harness.challenge(.register))
        foreign.challenge[Challenge.length - 1] ^= 1
        #expect(try await harness.verify(foreign).rejection == .challengeInvalid)
        let last = try #require(try await harness.recordings.all().last)
        let recording = try #require(Recording(decoding: last.recording))
        #expect(!recording.isPolicyDecision && recording.pieces.isEmpty)
    }

    @Test("The facts of evidence are kept at its place, also behind evidence that a report of every failure passes over")
    func places() async throws {
        let harness = try await harness(.withEvidence)
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.evidence.insert(Evidence(format: .playIntegrity, keyID: [], body: Array("token".utf8)), at: 0)
        request.report = .all
        #expect(try await harness.verify(request).rejection == .formatNotAccepted)
        let content = try #require(try await harness.recordings.all().last)
        let opened = try #require(harness.factRecorder.evidence(of: content))
        let recorded = try #require(RecordedEvidence(decoding: opened))
        #expect(recorded.request.evidence.map(\.format) == [.playIntegrity, .appAttestAssertion])
        #expect(recorded.known.pieces.map(\.lookups) == [[], .device])
        #expect(recorded.known.pieces.map { $0.facts.device != nil } == [false, true])
    }

    @Test("A device of another app is not recorded, and what names the app's own device is deleted with it")
    func otherDevices() async throws {
        let harness = try await harness(.withEvidence)
        let (_, foreign) = try await harness.enrol(.notes)
        var request = try Handset().registration(try await harness.challenge(.register))
        (request.replaces, request.subject) = (foreign, [1])
        #expect(try await harness.verify(request).rejection == .replacementRefused)
        let content = try #require(try await harness.recordings.all().first)
        let opened = try #require(harness.factRecorder.evidence(of: content))
        #expect(RecordedEvidence(decoding: opened)?.known.replaced == .unknown)
        var (handset, device) = try await harness.enrol()
        _ = try await harness.call(API.block, .with { ($0.app, $0.target.subject, $0.reason) = ("camera", Data([7]), "fraud") })
        var blocked = try handset.assertion(try await harness.challenge(.assert))
        blocked.subject = [7]
        #expect(try await harness.verify(blocked).rejection == .deviceBlocked)
        let before = try await harness.recordings.all().count
        _ = try await harness.call(API.forgetDevice, .with { ($0.app, $0.deviceID) = ("camera", Data(device.bytes)) })
        #expect(
            try await harness.recordings.all().count == before - 2, "its registration, and the refusal that names no device")
    }

    @Test("Callers list the recordings of their apps, page by page; evidence is sent only where it is asked for")
    func listing() async throws {
        let callers = CallerDirectory(
            byUserID: [
                1: Caller(name: "operator", roles: [.operate], apps: nil),
                2: Caller(name: "notes operator", roles: [.operate], apps: [.notes]),
                3: Caller(name: "uploads", roles: [.verify, .devices], apps: nil),
            ], loopback: CallerDirectory.demo)
        let harness = try await ServiceHarness(
            [
                try AppProfile.testing(.camera).followed(recording: .withEvidence),
                try AppProfile.testing(.notes).followed(recording: .all),
            ], callers: callers)
        for _ in 0..<3 { _ = try await harness.enrol() }
        _ = try await harness.enrol(.notes)
        func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }
        let first = try await harness.call(API.listRecordings, .with { $0.pageSize = 3 }, peer: peer(1))
        #expect(first.total == 4 && first.recordings.count == 3 && first.recordings.allSatisfy { $0.evidence.isEmpty })
        let second = try await harness.call(
            API.listRecordings, .with { ($0.pageSize, $0.pageToken) = (3, first.nextPageToken) }, peer: peer(1))
        #expect(second.recordings.count == 1 && second.nextPageToken.isEmpty && second.total == 0)
        let whole = try await harness.call(
            API.listRecordings, .with { ($0.app, $0.evidence) = ("camera", true) }, peer: peer(1))
        #expect(whole.total == 3 && whole.recordings.allSatisfy { !$0.evidence.isEmpty })
        let notes = try await harness.call(API.listRecordings, .init(), peer: peer(2))
        #expect(notes.total == 1 && notes.recordings.count == 1)
        for (call, peer) in [("camera", peer(2)), ("camera", peer(3))] {
            await #expect(throws: RPCError.self) {
                _ = try await harness.call(API.listRecordings, .with { $0.app = call }, peer: peer)
            }
        }
        await #expect(throws: RPCError.self, "a token of another listing") {
            _ = try await harness.call(
                API.listRecordings, .with { ($0.app, $0.pageToken) = ("notes", first.nextPageToken) }, peer: peer(1))
        }
    }

    @Test("Bytes that are cut or changed are no recording, and do not trap")
    func decoding() async throws {
        let harness = try await harness(.withEvidence)
        _ = try await traffic(harness)
        for content in try await harness.recordings.all() {
            let recording = try #require(Recording(decoding: content.recording))
            #expect(recording.encoded() == content.recording)
            for length in stride(from: 0, to: content.recording.count, by: 7) {
                #expect(Recording(decoding: Array(content.recording.prefix(length))) != recording)
            }
            guard let opened = harness.factRecorder.evidence(of: content) else { continue }
            let evidence = try #require(RecordedEvidence(decoding: opened))
            #expect(evidence.encoded() == opened)
            for length in stride(from: 0, to: opened.count, by: 31) {
                #expect(RecordedEvidence(decoding: Array(opened.prefix(length))) != evidence)
            }
        }
    }
}
