import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import KeySignature
import Testing

@testable import AssayService

/// Captures are changed anywhere. What counts, or is accepted, says what the device signed, byte for byte.
@Suite("Changed captures")
struct CaptureMutantTests {
    /// More with `ASSAY_ROUNDS`, where the machine has time.
    private static func rounds(_ usual: Int) -> Int {
        ProcessInfo.processInfo.environment["ASSAY_ROUNDS"].flatMap { Int($0) } ?? usual
    }

    /// A document of version 2 with each of its members.
    static let document = Array(
        (#"{"version":2,"media":[{"sha256":"\#(String(repeating: "ab", count: 32))"}],"signals":{"lidar":{"score":0.95},"#
            + #""moire":{"score":8.8e-1,"screen_detected":false,"frequency_peaks":[1.5,2]},"texture":{"score":0.82,"#
            + #""classification":"natural","material_confidence":0.9},"supporting":{"score":0.79,"pwm_detected":false,"#
            + #""specular_uniformity":0.12,"halftone_detected":false},"parallax":{"outcome":"unavailable"}},"#
            + #""depth":{"variance":1.3218,"layers":3,"edge_coherence":0.3765,"min":0.8,"max":4.0,"is_likely_real_scene":true,"#
            + #""algorithm_version":"1","map_sha256":"\#(String(repeating: "cd", count: 32))"},"metadata":{"#
            + #""captured_at":"2027-01-15T08:00:00Z","model":"iPhone 15 Pro","width":4032,"height":3024,"#
            + #""location":{"latitude":48.14,"longitude":11.58},"device":{"serial":"F2LX","build":"24A1"}},"#
            + #""flags":{"location":"coarse","timestamp":"exact","device":"full"},"mode":"full","final_score":0.896}"#).utf8)

    /// One to three of the changes that break readers.
    static func changed(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        let marks = Array(#"{}[]",:\u0e.-+ 9"#.utf8) + [0x00, 0x80, 0xC3, 0xED, 0xFF]
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            guard let at = mutant.indices.randomElement(using: &numbers),
                let other = mutant.indices.randomElement(using: &numbers)
            else { break }
            switch Int.random(in: 0..<7, using: &numbers) {
            case 0: mutant[at] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: mutant.remove(at: at)
            case 2: mutant.insert(marks.randomElement(using: &numbers) ?? 0, at: at)
            case 3: mutant[at] = UInt8.random(in: 0...255, using: &numbers)
            case 4: mutant.swapAt(at, other)
            case 5: mutant.removeSubrange(at..<min(at + 1 + Int.random(in: 0..<40, using: &numbers), mutant.count))
            default: mutant.insert(contentsOf: mutant[at..<min(at + 40, mutant.count)], at: other)
            }
        }
        return mutant
    }

    // MARK: Documents

    @Test("A changed document is never taken for the one that was signed, and those that are read are judged without a trap")
    func documents() throws {
        let hash = ClientData.payloadHash(Self.document)
        let original = try SignalDocument(parsing: Self.document)
        var request = VerificationRequest(app: .camera, purpose: .assert, challenge: [], evidence: [], signals: Self.document)
        #expect(request.signals(thatAre: hash) == Self.document)
        var numbers = SeededNumbers(seed: 20_261_129)
        var (read, unread, same) = (0, 0, 0)
        for _ in 0..<Self.rounds(10_000) {
            let mutant = Self.changed(Self.document, &numbers)
            guard mutant != Self.document else { continue }
            request.signals = mutant
            if !request.signals(thatAre: hash).isEmpty { same += 1 }
            guard let document = try? SignalDocument(parsing: mutant) else {
                unread += 1
                continue
            }
            read += 1
            // Also the parts that a reader ignores are signed: the bytes decide, not what was read of them.
            let confidence = ConfidenceRule(profile: .suite).assess(
                SceneAnalysis(counted: document, digest: hash), platform: .iOS,
                HardwareAttestation(.secureElement, platform: .iOS, simulated: false), receivedAt: ServiceHarness.opening)
            let model = EvidenceModel(confidence)
            #expect(try EvidenceModel(parsing: model.json).json == model.json)
        }
        #expect(same == 0 && read > 0 && unread > 0, "\(read) were read, \(unread) were not")
        #expect(original.statements.depth != nil && original.statements.metadata != nil)
    }

    @Test("A changed document beside a genuine assertion counts for nothing, and changes nothing of the decision")
    func verdicts() async throws {
        let harness = try await ServiceHarness([.testing(.camera, confidence: ConfidenceRule(profile: .suite))])
        var (handset, _) = try await harness.enrol()
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<Self.rounds(100) {
            var request = try handset.assertion(try await harness.challenge(.assert), payload: Self.document)
            request.signals = Self.changed(Self.document, &numbers)
            guard request.signals != Self.document, !request.signals.isEmpty else { continue }
            let verdict = try await harness.verify(request)
            let isUncounted = verdict.confidence.signals == .notBound && verdict.confidence.mediaSha256.isEmpty
            #expect(verdict.isAccepted && isUncounted && !verdict.confidence.hasScore, "\(verdict.reason)")
        }
    }

    // MARK: Captures that were signed offline

    /// Takes captures of every registered device: the signature alone decides.
    private struct NoObjection: RegisteredDeviceAppraiser {
        let format: EvidenceFormat = .keyAttestation
        var offline: OfflineRule? { OfflineRule(maxAge: 86_400_000) }

        func judge(_ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal) throws(Rejection) {
            appraisal.assurance = .hardware
        }
    }

    @Test("A changed capture that was signed offline is accepted only with the time and the payload that were signed")
    func offline() throws {
        let verifier = OfflineSignatureVerifier(app: .camera, judges: [NoObjection()])
        let key = try TestKey(.p256, seed: "offline", label: "registered")
        let registration = Registration(
            format: .keyAttestation, keyID: key.subjectPublicKeyInfoDigest, publicKey: key.subjectPublicKeyInfo,
            environment: "", anchor: [], claims: Claims(), chainSerials: [], receipt: [], simulated: true)
        let device = Device(
            id: .random(), app: .camera, subject: nil, registration: registration, registeredAt: ServiceHarness.opening)
        let capture = OfflineCapture(capturedAt: ServiceHarness.opening, payload: Array("a photo".utf8))
        let evidence = capture.evidence(
            keyID: registration.keyID, algorithm: key.usualScheme.rawValue,
            signature: try key.sign(capture.signedBytes(for: .camera), by: key.usualScheme))
        func failure(_ body: [UInt8]) -> String? {
            verifier.appraise(
                Evidence(format: .offlineSignature, keyID: registration.keyID, body: body),
                in: AppraisalContext(binding: .inEvidence, facts: Facts(device: device), now: ServiceHarness.opening)
            ).failure?.code
        }
        #expect(failure(evidence.body) == nil)
        var numbers = SeededNumbers(seed: 11)
        var (refused, malformed, wrong) = (0, 0, 0)
        for _ in 0..<Self.rounds(2000) {
            let mutant = Self.changed(evidence.body, &numbers)
            guard mutant != evidence.body else { continue }
            let failure = failure(mutant)
            if failure == nil {
                let parts = Evidence(format: .offlineSignature, keyID: [], body: mutant).parts.flatMap(
                    OfflineCapture.Parts.init)
                if parts?.capture != capture { wrong += 1 }
            } else if failure == "malformed" {
                malformed += 1
            } else {
                refused += 1
            }
        }
        #expect(wrong == 0 && malformed > 0 && refused > 0, "\(malformed) malformed, \(refused) refused otherwise")
    }
}
