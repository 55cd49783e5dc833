import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayPlugins
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import KeySignature
import SwiftProtobuf
import Testing

@testable import AssayService

/// Parts of the payload beside a capture that was signed offline, whose signature covers the payload's SHA-256.
@Suite("Parts of captures that were signed offline")
struct OfflinePartTests {
    private static let depth = EvidenceFormat(rawValue: "scene-depth")
    private static let chain = EvidenceFormat(rawValue: "frame-chain")
    private static let kiosk = EvidenceFormat(rawValue: "example.kiosk")
    private static let document = ConfidenceTests.document
    private static let reports: [VerdictReport] = [.first, .all]

    /// Plugins by the format that they judge, with their answers.
    private struct Plugins {
        let depth = StandInOpinions()
        let chain = StandInOpinions()
        let kiosk = StandInOpinions()

        var questions: Int { depth.questions.count + chain.questions.count + kiosk.questions.count }
    }

    private static func verifier(
        _ format: EvidenceFormat, _ freshness: Assay_Plugin_V1_Freshness = .payload
    ) throws -> PluginVerifier {
        let declared = try PluginFormat(
            .with {
                ($0.name, $0.purposes, $0.sizeLimit) = (Data(format.rawValue.utf8), [.assert], 64)
                $0.freshness = freshness
                if freshness == .payload { $0.measures = [Data("lidar".utf8)] }
                $0.claims = [.with { ($0.name, $0.kind) = (Data("layers".utf8), .integer) }]
                $0.codes = [.with { ($0.code, $0.retry) = (Data("flat_scene".utf8), .never) }]
            })
        return PluginVerifier(
            app: .camera, declared: declared, primary: PluginJudge(id: "judge", name: "judge", ceiling: .secureElement),
            others: [])
    }

    /// A daemon whose app `camera` takes iPhones, Android devices, captures of the latter that are a week old at most, and parts.
    ///
    /// - Parameter takesOffline: `false`: it takes no captures that were signed offline.
    private static func harness(
        _ plugins: Plugins, kiosk freshness: Assay_Plugin_V1_Freshness = .payload, takesOffline: Bool = true,
        beside others: [any EvidenceVerifier] = [], confidence: ConfidenceRule? = nil
    ) async throws -> ServiceHarness {
        var policy = AndroidPolicy.testing
        policy.offline = OfflineRule(maxAge: 7 * 86_400_000)
        let anchors = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let judge = AndroidDeviceAppraiser(anchors: anchors, policy: policy)
        let builtIn: [any EvidenceVerifier] =
            [
                KeyAttestationVerifier(anchors: anchors, policy: policy, links: LinkCache()),
                KeySignatureVerifier(judges: [judge]),
            ] + Array(try AppProfile.testing(.camera).verifiers.values)
            + (takesOffline ? [OfflineSignatureVerifier(app: .camera, judges: [judge])] : [])
        let ofPlugins: [any EvidenceVerifier] = [
            try verifier(depth), try verifier(chain), try verifier(kiosk, freshness),
        ]
        let profile = AppProfile(
            id: .camera, verifiers: builtIn + ofPlugins + others, deviceAppraisers: [judge],
            opinionSources: [depth: plugins.depth, chain: plugins.chain, kiosk: plugins.kiosk],
            revocation: RevocationBoard(), binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: nil)),
            policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true, confidence: confidence)
        return try await ServiceHarness([profile])
    }

    private static func enrol(_ harness: ServiceHarness) async throws -> AndroidKey {
        let key = try unknownKey()
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return key
    }

    private static func unknownKey() throws -> AndroidKey {
        var phone = VirtualAndroid.testing()
        return try phone.makeKey()
    }

    private static func piece(_ format: EvidenceFormat) -> Evidence {
        Evidence(format: format, keyID: [], body: Array("part".utf8))
    }

    private static func capture(_ payload: [UInt8], _ harness: ServiceHarness) -> OfflineCapture {
        OfflineCapture(capturedAt: harness.clock.now().adding(milliseconds: -3_600_000), payload: payload)
    }

    private static func signed(_ capture: OfflineCapture, by key: AndroidKey) throws -> Evidence {
        capture.evidence(
            keyID: key.keyID, algorithm: key.key.usualScheme.rawValue,
            signature: try key.sign(capture.signedBytes(for: .camera)))
    }

    private static func request(_ evidence: [Evidence], _ report: VerdictReport = .first) -> VerificationRequest {
        VerificationRequest(
            app: .camera, purpose: .assert, challenge: [], evidence: evidence, binding: .inEvidence, report: report)
    }

    /// A capture of a payload, signed an hour ago, with parts.
    private static func upload(
        _ key: AndroidKey, _ harness: ServiceHarness, _ parts: [EvidenceFormat] = [depth], payload: [UInt8] = document,
        under report: VerdictReport = .first
    ) throws -> VerificationRequest {
        request([try signed(capture(payload, harness), by: key)] + parts.map(piece), report)
    }

    /// The judgement of a part that was shown to belong to a payload.
    private static func part(
        of payload: [UInt8], failing code: String? = nil,
        _ change: (inout Assay_Plugin_V1_AppraiseResponse) -> Void = { _ in }
    ) throws -> OutsideAnswer {
        try .judgement(failing: code, assurance: .secureElement) { response in
            if code == nil { response.verifiedPayloadSha256 = Data(SHA256.hash(data: payload)) }
            change(&response)
        }
    }

    // MARK: Accepted

    @Test("Parts beside a capture that covers their payload are accepted with it, and raise no assurance", arguments: reports)
    func accepted(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        plugins.depth.answer(
            "judge",
            try Self.part(of: Self.document) {
                $0.claims = [.with { ($0.name, $0.integer) = (Data("layers".utf8), 3) }]
            })
        plugins.chain.answer("judge", try Self.part(of: Self.document))
        let harness = try await Self.harness(plugins)
        let key = try await Self.enrol(harness)
        let alone = try await harness.verify(try Self.upload(key, harness, [], payload: [7], under: report))
        try #require(alone.isAccepted, "\(alone.reason): \(alone.detail)")
        var expected = 0
        for (number, parts) in [[Self.depth], [Self.depth, Self.chain]].enumerated() {
            // The time makes it another statement.
            harness.clock.advance(milliseconds: 1)
            let verdict = try await harness.verify(try Self.upload(key, harness, parts, under: report))
            try #require(verdict.isAccepted, "\(verdict.reason): \(verdict.detail)")
            #expect(!verdict.repeated && verdict.assurance == alone.assurance && verdict.deviceID == alone.deviceID)
            #expect(verdict.bound.mode == .inEvidence)
            #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash(Self.document)))
            #expect(verdict.findings.contains { $0.check == "scene-depth/payload" && $0.outcome == .pass })
            #expect(Claims(verdict.claims).integer("scene-depth/layers") == 3)
            #expect(verdict.limits.contains(.captureTimeByTheDevice) && !verdict.limits.contains(.notBoundToPayload))
            expected += number + 1
            #expect(plugins.questions == expected)
        }
    }

    @Test("The plugin is told what the device signed, the payload's hash, and the document of the signals if it is the payload")
    func question() async throws {
        let plugins = Plugins()
        let harness = try await Self.harness(plugins)
        let key = try await Self.enrol(harness)
        for payload in [Self.document, [7]] {
            plugins.depth.answer("judge", try Self.part(of: payload))
            var request = try Self.upload(key, harness, payload: payload)
            request.signals = Self.document
            #expect(try await harness.verify(request).isAccepted)
            let question = try #require(plugins.depth.questions.last)
            #expect(question.binding.payloadHash == ClientData.payloadHash(payload))
            #expect(question.binding.clientData == Self.capture(payload, harness).signedBytes(for: .camera))
            #expect(question.signals == (payload == Self.document ? Self.document : []))
        }
    }

    @Test("What a part measured of a capture takes the place of the app's word")
    func measured() async throws {
        let plugins = Plugins()
        let only = Array(
            (#"{"version":1,"media":[{"sha256":"\#(String(repeating: "ab", count: 32))"}],"#
                + #""signals":{"lidar":{"score":0.95}}}"#).utf8)
        let harness = try await Self.harness(
            plugins, confidence: ConfidenceRule(profile: .mvp, measured: ["lidar": Self.depth]))
        let key = try await Self.enrol(harness)
        for isMeasured in [true, false] {
            plugins.depth.answer(
                "judge",
                try Self.part(of: only) {
                    guard isMeasured else { return }
                    $0.measurements = [
                        .with { ($0.signal, $0.outcome, $0.detail) = (Data("lidar".utf8), .pass, "deviation 0.6 m") }
                    ]
                })
            harness.clock.advance(milliseconds: 1)
            var request = try Self.upload(key, harness, payload: only)
            request.signals = only
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted && verdict.confidence.signals == .counted)
            #expect(verdict.limits.contains(.signalsAreTheAppsWord) != isMeasured)
        }
    }

    // MARK: Refused

    @Test("A part beside a capture of a device that is not registered is refused for the device", arguments: reports)
    func unknownDevice(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let harness = try await Self.harness(plugins)
        let verdict = try await harness.verify(try Self.upload(try Self.unknownKey(), harness, under: report))
        #expect(verdict.rejection == .unknownDevice && verdict.deviceID.isEmpty)
        #expect(verdict.findings.contains { $0.check.hasPrefix("offline-signature/") && $0.code == "unknown_device" })
    }

    @Test(
        "A part beside a capture whose payload was exchanged after it was signed is refused for the signature",
        arguments: reports)
    func exchanged(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        let harness = try await Self.harness(plugins)
        let key = try await Self.enrol(harness)
        let signature = try key.sign(Self.capture(Self.document, harness).signedBytes(for: .camera))
        let other = Self.capture([7], harness).evidence(
            keyID: key.keyID, algorithm: key.key.usualScheme.rawValue, signature: signature)
        plugins.depth.answer("judge", try Self.part(of: [7]))
        let verdict = try await harness.verify(Self.request([other, Self.piece(Self.depth)], report))
        #expect(verdict.rejection == .badSignature && verdict.check == "signature")
    }

    @Test("A part that is not of the capture's payload gets nothing accepted, and the statement stays new", arguments: reports)
    func otherPayload(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        let harness = try await Self.harness(plugins, beside: [OtherPart()])
        let key = try await Self.enrol(harness)
        let request = try Self.upload(key, harness, under: report)
        // A plugin that says it belongs to another payload than it was asked about breaks the contract.
        plugins.depth.answer("judge", try Self.part(of: [7]))
        let error = try await harness.failure(request)
        #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable")
        // One that finds that it does not belong says so by a failed check.
        plugins.depth.answer("judge", try Self.part(of: Self.document, failing: "flat_scene"))
        #expect(try await harness.verify(request).reason == "flat_scene")
        // A verifier of Assay's own says which payload it belongs to.
        let own = try await harness.verify(try Self.upload(key, harness, [OtherPart.format], under: report))
        #expect(own.rejection == .payloadNotBound && own.check == "payload")
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && !verdict.repeated)
    }

    @Test("Of two captures of two payloads each takes its own part, and one request takes one capture", arguments: reports)
    func twoPayloads(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        let harness = try await Self.harness(plugins)
        let key = try await Self.enrol(harness)
        let payloads: [[UInt8]] = [[1], [2]]
        for part in payloads {
            plugins.depth.answer("judge", try Self.part(of: part))
            for payload in payloads {
                let request = try Self.upload(key, harness, payload: payload, under: report)
                guard payload == part else {
                    #expect(try await harness.failure(request)?.reason == "evidence_unavailable")
                    continue
                }
                let verdict = try await harness.verify(request)
                #expect(verdict.isAccepted && !verdict.repeated)
                #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash(payload)))
            }
        }
        let both = try payloads.map { try Self.signed(Self.capture($0, harness), by: key) } + [Self.piece(Self.depth)]
        #expect(try await harness.failure(Self.request(both, report))?.code == .invalidArgument)
    }

    @Test(
        "The same statement with another part is a repetition, and a part of another payload is refused all the same",
        arguments: reports)
    func again(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        plugins.chain.answer("judge", try Self.part(of: Self.document))
        let harness = try await Self.harness(plugins, beside: [OtherPart()])
        let key = try await Self.enrol(harness)
        #expect(try await !harness.verify(try Self.upload(key, harness, under: report)).repeated)
        for parts in [[Self.depth], [Self.chain], [], [Self.chain, Self.depth]] {
            let verdict = try await harness.verify(try Self.upload(key, harness, parts, under: report))
            #expect(verdict.isAccepted && verdict.repeated, "\(parts)")
        }
        let other = try await harness.verify(try Self.upload(key, harness, [OtherPart.format], under: report))
        #expect(other.rejection == .payloadNotBound && !other.repeated)
        #expect(harness.ledger.memory.auditLog.count == 2, "a registration, and one capture")
    }

    @Test("32 requests with one statement and two kinds of parts race: exactly one is new")
    func race() async throws {
        let plugins = Plugins()
        plugins.depth.answer("judge", try Self.part(of: Self.document))
        plugins.chain.answer("judge", try Self.part(of: Self.document))
        let harness = try await Self.harness(plugins)
        let key = try await Self.enrol(harness)
        let requests = try [Self.depth, Self.chain].map { try Self.upload(key, harness, [$0]) }
        let verdicts = try await AssayServiceTests.race(32) { number in try await harness.verify(requests[number % 2]) }
        #expect(verdicts.allSatisfy(\.isAccepted) && verdicts.count { !$0.repeated } == 1)
    }

    // MARK: Not bound

    @Test(
        "A part beside a statement that binds no payload, or beside an assertion of an offline queue, is rejected before its plugin is asked",
        arguments: reports)
    func notBound(_ report: VerdictReport) async throws {
        let plugins = Plugins()
        for source in [plugins.depth, plugins.kiosk] { source.answer("judge", try Self.part(of: Self.document)) }
        let harness = try await Self.harness(plugins, kiosk: .statement)
        let key = try await Self.enrol(harness)
        var (handset, _) = try await harness.enrol()
        let part = Self.piece(Self.depth)
        let hash = SHA256.bytes(of: Self.capture(Self.document, harness).signedBytes(for: .camera))
        var requests = try [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 31), []].map { payloadHash in
            let capture = OfflineCapture(capturedAt: harness.clock.now(), payloadHash: payloadHash)
            return Self.request([try Self.signed(capture, by: key), part], report)
        }
        requests.append(Self.request([Self.piece(Self.kiosk), part], report))
        requests.append(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [], evidence: [try handset.assertion(over: hash), part],
                binding: .callerOwned(hash), report: report))
        for request in requests {
            let verdict = try await harness.verify(request)
            #expect(verdict.rejection == .payloadNotBound && verdict.check == "binding", "\(request.evidence.map(\.format))")
            #expect(verdict.detail.hasPrefix("scene-depth is a part of a payload, and the binding "), "\(verdict.detail)")
        }
        #expect(plugins.questions == 0)
    }

    @Test("Beside a capture stand parts of its payload alone, and an app that takes no captures takes none with parts")
    func company() async throws {
        for freshness in [Assay_Plugin_V1_Freshness.statement, .singleUse, .challenge] {
            let plugins = Plugins()
            plugins.depth.answer("judge", try Self.part(of: Self.document))
            let harness = try await Self.harness(plugins, kiosk: freshness)
            let key = try await Self.enrol(harness)
            for parts in [[Self.kiosk], [Self.depth, Self.kiosk]] {
                let verdict = try await harness.verify(try Self.upload(key, harness, parts))
                #expect(verdict.rejection == .bindingNotAllowed && verdict.check == "binding", "\(freshness)")
            }
            #expect(plugins.questions == 0)
        }
        let plugins = Plugins()
        let harness = try await Self.harness(plugins, takesOffline: false)
        let key = try await Self.enrol(harness)
        #expect(try await harness.verify(try Self.upload(key, harness)).rejection == .offlineNotAllowed)
        let capture = try Self.signed(Self.capture(Self.document, harness), by: key)
        for other in [try key.signature(over: [1]), CertificateBundle.json([0x7B, 0x7D]).evidence] {
            for evidence in [[capture, other], [other, capture], [capture, Self.piece(Self.depth), other]] {
                #expect(try await harness.failure(Self.request(evidence))?.code == .invalidArgument)
            }
        }
        #expect(plugins.questions == 0)
    }
}

/// A verifier of Assay's own for a part of the payload of the one byte 7.
private struct OtherPart: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "own-part")
    var format: EvidenceFormat { Self.format }
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit = 64
    let replayProtection = ReplayProtection.payload

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require("form", true, else: .malformed, "")
        appraisal.verifiedPayload = ClientData.payloadHash([7])
    }
}
