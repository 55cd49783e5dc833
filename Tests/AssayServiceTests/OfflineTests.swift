import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import KeySignature
import Testing

@testable import AssayService

/// Captures that devices sign while they have no challenge.
@Suite("Captures that were signed offline")
struct OfflineTests {
    private static let week: Int64 = 7 * 86_400_000
    private static let future: Int64 = 300_000

    /// A daemon whose app `camera` takes captures of Android devices that are a week old at most.
    private static func harness(
        _ rule: OfflineRule? = OfflineRule(maxAge: week, maxFuture: future), acceptsOther: Bool = false
    ) async throws -> ServiceHarness {
        var policy = AndroidPolicy.testing
        policy.offline = rule
        let anchors = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let judge = AndroidDeviceAppraiser(anchors: anchors, policy: policy)
        return try await .android(
            policy, beside: rule == nil && !acceptsOther ? [] : [OfflineSignatureVerifier(app: .camera, judges: [judge])])
    }

    private static func enrol(_ harness: ServiceHarness) async throws -> AndroidKey {
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return key
    }

    /// - Parameters:
    ///   - age: of the capture, in milliseconds.
    ///   - signedFor: the app that the device signs for.
    private static func capture(
        _ key: AndroidKey, _ harness: ServiceHarness, age: Int64 = 3_600_000, payload: String = "a photo",
        signedFor app: AppID = .camera
    ) throws -> VerificationRequest {
        let capture = OfflineCapture(
            capturedAt: harness.clock.now().adding(milliseconds: -age), payload: Array(payload.utf8))
        return request(
            capture.evidence(
                keyID: key.keyID, algorithm: key.key.usualScheme.rawValue,
                signature: try key.sign(capture.signedBytes(for: app))))
    }

    private static func request(_ evidence: Evidence) -> VerificationRequest {
        VerificationRequest(app: .camera, purpose: .assert, challenge: [], evidence: [evidence], binding: .inEvidence)
    }

    @Test("A capture is accepted without a challenge, names its payload and its time, and says whose word the time is")
    func accepted() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let verdict = try await harness.verify(try Self.capture(key, harness))
        #expect(verdict.isAccepted && !verdict.repeated && verdict.bound.mode == .inEvidence, "\(verdict.reason)")
        #expect(verdict.bound.payloadSha256 == Data(SHA256.hash(data: Data("a photo".utf8))))
        #expect(verdict.limits.contains(.captureTimeByTheDevice) && verdict.limits.contains(.answersNoChallenge))
        #expect(!verdict.limits.contains(.notBoundToPayload))
        #expect(verdict.claims.contains { $0.name == "captured_at" })
    }

    @Test(
        "The same capture again is accepted again and marked as repeated, also with another signature, and another one is new")
    func repeated() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let first = try Self.capture(key, harness)
        #expect(try await !harness.verify(first).repeated)
        let again = try await harness.verify(first)
        #expect(again.isAccepted && again.repeated && again.findings.contains { $0.code == Finding.repeatedStatement })
        // ECDSA signs with a number of its own each time.
        let resigned = try await harness.verify(try Self.capture(key, harness))
        #expect(resigned.isAccepted && resigned.repeated)
        let other = try await harness.verify(try Self.capture(key, harness, payload: "another photo"))
        #expect(other.isAccepted && !other.repeated)
        let later = try await harness.verify(try Self.capture(key, harness, age: 3_599_999))
        #expect(later.isAccepted && !later.repeated)
    }

    @Test("64 equal captures race: exactly one is new, and all others are marked as repeated")
    func race() async throws {
        let harness = try await Self.harness()
        let request = try Self.capture(try await Self.enrol(harness), harness)
        let verdicts = try await AssayServiceTests.race(64) { _ in try await harness.verify(request) }
        #expect(verdicts.allSatisfy(\.isAccepted) && verdicts.count { !$0.repeated } == 1)
    }

    @Test("The same capture of two devices is one of each")
    func twoDevices() async throws {
        let harness = try await Self.harness()
        var phone = VirtualAndroid.testing()
        let keys = [try phone.makeKey(), try phone.makeKey()]
        for key in keys {
            #expect(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        }
        var devices: Set<Data> = []
        for key in keys {
            let verdict = try await harness.verify(try Self.capture(key, harness))
            #expect(verdict.isAccepted && !verdict.repeated)
            devices.insert(verdict.deviceID)
        }
        #expect(devices.count == 2)
    }

    @Test(
        "A capture is taken up to the greatest age and up to the greatest difference of clocks, and not a millisecond beyond",
        arguments: [
            (week, nil), (week + 1, ReasonCode.timestampTooOld), (-future, nil), (-future - 1, .timestampInFuture), (0, nil),
        ] as [(Int64, ReasonCode?)])
    func bounds(_ age: Int64, _ code: ReasonCode?) async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let verdict = try await harness.verify(try Self.capture(key, harness, age: age))
        #expect(verdict.rejection == code && verdict.isAccepted == (code == nil), "\(verdict.detail)")
        if code != nil { #expect(verdict.check == "timestamp") }
    }

    @Test("As long as a capture can be accepted it is known to be a repetition")
    func remembered() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let request = try Self.capture(key, harness, age: 0)
        #expect(try await !harness.verify(request).repeated)
        harness.clock.advance(milliseconds: Self.week)
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await harness.verify(request).repeated)
        harness.clock.advance(milliseconds: 1)
        #expect(try await harness.verify(request).rejection == .timestampTooOld)
    }

    @Test("A capture that was signed for another app, or whose payload, time or key is exchanged, has a bad signature")
    func exchanged() async throws {
        let harness = try await Self.harness()
        let (key, other) = (try await Self.enrol(harness), try await Self.enrol(harness))
        let foreign = try await harness.verify(try Self.capture(key, harness, signedFor: .notes))
        #expect(foreign.rejection == .badSignature && foreign.check == "signature" && foreign.claims.isEmpty)
        let capture = OfflineCapture(capturedAt: harness.clock.now(), payload: [1])
        let algorithm = key.key.usualScheme.rawValue
        let signature = try key.sign(capture.signedBytes(for: .camera))
        let payload = OfflineCapture(capturedAt: capture.capturedAt, payload: [2])
        let time = OfflineCapture(capturedAt: capture.capturedAt.adding(milliseconds: 1), payloadHash: capture.payloadHash)
        for (changed, keyID) in [(payload, key.keyID), (time, key.keyID), (capture, other.keyID)] {
            let verdict = try await harness.verify(
                Self.request(changed.evidence(keyID: keyID, algorithm: algorithm, signature: signature)))
            #expect(verdict.rejection == .badSignature)
        }
        let unknown = try await harness.verify(
            Self.request(
                capture.evidence(keyID: [UInt8](repeating: 9, count: 32), algorithm: algorithm, signature: signature)))
        #expect(unknown.rejection == .unknownDevice)
        #expect(
            try await harness.verify(
                Self.request(capture.evidence(keyID: key.keyID, algorithm: algorithm, signature: signature))
            ).isAccepted)
    }

    @Test(
        "A capture names a payload of 32 bytes that are not all zero, and is otherwise malformed", arguments: [0, 31, 32, 33])
    func payloads(_ count: Int) async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let capture = OfflineCapture(
            capturedAt: harness.clock.now(), payloadHash: [UInt8](repeating: count == 32 ? 0 : 1, count: count))
        let verdict = try await harness.verify(
            Self.request(
                capture.evidence(
                    keyID: key.keyID, algorithm: key.key.usualScheme.rawValue,
                    signature: try key.sign(capture.signedBytes(for: .camera)))))
        #expect(verdict.rejection == .malformed && verdict.check == "evidence")
    }

    @Test("An app that does not say how old captures may be takes none")
    func notAllowed() async throws {
        let harness = try await Self.harness(nil)
        let key = try await Self.enrol(harness)
        let verdict = try await harness.verify(try Self.capture(key, harness))
        #expect(verdict.rejection == .offlineNotAllowed && verdict.check == "evidence" && verdict.retry == .contactOperator)
        // As where another kind of device of the app may sign captures.
        let other = try await Self.harness(nil, acceptsOther: true)
        let device = try await Self.enrol(other)
        let refused = try await other.verify(try Self.capture(device, other))
        #expect(refused.rejection == .offlineNotAllowed && refused.check == "offline")
    }

    @Test("A capture takes no challenge, no binding of a caller and no evidence beside it")
    func alone() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let challenge = try await harness.challenge(.assert)
        let capture = try Self.capture(key, harness)
        var challenged = capture
        challenged.challenge = challenge
        var owned = capture
        owned.binding = .callerOwned([1])
        var together = capture
        together.evidence.append(try key.signature(over: [1]))
        for request in [challenged, owned, together] {
            #expect(try await harness.failure(request)?.code == .invalidArgument)
        }
    }

    @Test("A signature over client data is no capture, and that of a capture is no signature over client data")
    func apart() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let challenge = try await harness.challenge(.assert)
        let upload = try key.upload(challenge)
        let parts = try #require(upload.evidence.first?.parts)
        let capture = OfflineCapture(capturedAt: harness.clock.now(), payload: [7])
        let borrowed = try await harness.verify(
            Self.request(
                capture.evidence(keyID: key.keyID, algorithm: parts[0].first ?? 0, signature: Array(parts[1]))))
        #expect(borrowed.rejection == .badSignature)
        var replaced = upload
        replaced.evidence = [try key.signature(over: capture.signedBytes(for: .camera))]
        #expect(try await harness.verify(replaced).rejection == .badSignature)
    }

    @Test("A blocked device's captures are refused, also those that were accepted before")
    func blocked() async throws {
        let harness = try await Self.harness()
        let key = try await Self.enrol(harness)
        let request = try Self.capture(key, harness)
        let device = try #require(DeviceID(bytes: Array(try await harness.verify(request).deviceID)))
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        #expect(try await harness.verify(request).rejection == .deviceBlocked)
    }

    // MARK: App Attest

    /// Assertions over captures, in the order in which the phone made them.
    private static func queue(
        _ count: Int, _ handset: inout Handset, _ harness: ServiceHarness
    ) throws -> [VerificationRequest] {
        try (0..<count).map { number in
            let capture = OfflineCapture(
                capturedAt: harness.clock.now().adding(milliseconds: Int64(number)),
                payload: [UInt8(truncatingIfNeeded: number)])
            let hash = Array(SHA256.hash(data: capture.signedBytes(for: .camera)))
            return VerificationRequest(
                app: .camera, purpose: .assert, challenge: [], evidence: [try handset.assertion(over: hash)],
                binding: .callerOwned(hash))
        }
    }

    private static func iPhones() async throws -> ServiceHarness {
        let binding = BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: nil))
        return try await ServiceHarness([.testing(.camera, binding: binding)])
    }

    @Test(
        "A queue of 64 assertions that was made offline is accepted in any order, each exactly once, however often it is sent")
    func queue() async throws {
        for seed in [1, 7, 2026] as [UInt64] {
            let harness = try await Self.iPhones()
            var (handset, _) = try await harness.enrol()
            let queue = try Self.queue(64, &handset, harness)
            var random = SeededNumbers(seed: seed)
            var accepted = [Int](repeating: 0, count: queue.count)
            for index in (Array(queue.indices) + Array(queue.indices)).shuffled(using: &random) {
                let verdict = try await harness.verify(queue[index])
                if verdict.isAccepted { accepted[index] += 1 } else { #expect(verdict.rejection == .counterNotIncreasing) }
            }
            #expect(accepted.allSatisfy { $0 == 1 }, "seed \(seed): \(accepted)")
        }
    }

    @Test("Beyond the window of 64 counters the oldest assertion of a queue is refused once the latest is accepted")
    func window() async throws {
        let harness = try await Self.iPhones()
        var (handset, _) = try await harness.enrol()
        let queue = try Self.queue(65, &handset, harness)
        let latest = try #require(queue.last)
        #expect(try await harness.verify(latest).isAccepted)
        #expect(try await harness.verify(queue[0]).rejection == .counterTooOld)
        #expect(try await harness.verify(queue[1]).isAccepted)
    }
}
