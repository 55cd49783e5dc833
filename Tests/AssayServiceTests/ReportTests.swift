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

/// Rejections with every failure, held against those with the first one.
@Suite("Reports of every failure")
struct ReportTests {
    /// What differs from a good registration.
    private struct Draft {
        var changes = AttestationChanges.genuine
        var edits: [(inout VerificationRequest) -> Void] = []
        var purpose = Purpose.register
        var payload: [UInt8]?
    }

    private static let other = DeviceID.random()

    private static let faults: [(name: String, apply: @Sendable (inout Draft) -> Void)] = [
        ("counter", { $0.changes = $0.changes.authenticatorData { $0.signCount = 1 } }),
        ("app", { $0.changes = $0.changes.authenticatorData { $0.rpIDHash[0] ^= 1 } }),
        ("environment", { $0.changes = $0.changes.authenticatorData { $0.credential?.aaguid[0] ^= 1 } }),
        ("credential", { $0.changes = $0.changes.authenticatorData { $0.credential?.id[0] ^= 1 } }),
        ("nonce", { $0.changes = $0.changes.nonce { $0[0] ^= 1 } }),
        ("expired leaf", { $0.changes = $0.changes.leaf { $0.notAfter = $0.notBefore } }),
        ("foreign signer", { $0.changes = $0.changes.leafSigner(Handset().key.signingKey) }),
        ("short chain", { $0.changes = $0.changes.chain { $0.removeLast() } }),
        ("no object", { $0.changes = $0.changes.bytes { $0 = [] } }),
        ("challenge of another purpose", { $0.purpose = .assert }),
        ("context", { $0.edits.append { $0.context = [1] } }),
        ("challenge that is none", { $0.edits.append { $0.challenge.removeLast() } }),
        ("binding", { $0.edits.append { $0.binding = .embedded([1, 2, 3]) } }),
        ("payload", { $0.edits.append { $0.binding = .clientData(payloadHash: [UInt8](repeating: 7, count: 32)) } }),
        ("replaced device", { $0.edits.append { $0.replaces = other } }),
        ("expected device", { $0.edits.append { $0.expectedDevice = other } }),
        (
            "evidence of another format",
            {
                $0.edits.append {
                    $0.evidence.append(Evidence(format: .playIntegrity, keyID: [], body: Array("token".utf8)))
                }
            }
        ),
    ]

    /// All sets of one, two and three faults.
    private static var combinations: [[Int]] {
        let all = Array(faults.indices)
        var sets = all.map { [$0] }
        for first in all {
            for second in all where second > first {
                sets.append([first, second])
                for third in all where third > second { sets.append([first, second, third]) }
            }
        }
        return sets
    }

    private static func request(_ faults: [Int], _ harness: ServiceHarness) async throws -> VerificationRequest {
        var draft = Draft()
        for index in faults { Self.faults[index].apply(&draft) }
        var request = try Handset().registration(
            try await harness.challenge(draft.purpose), payload: draft.payload, changes: draft.changes)
        for edit in draft.edits { edit(&request) }
        return request
    }

    private static func judge(_ request: VerificationRequest, _ harness: ServiceHarness) async throws -> Verdict {
        let answer = await harness.pipeline.judge([try harness.admitted(request)]).first
        return try #require(answer?.verdict, "\(String(describing: answer))")
    }

    private static func codes(_ verdict: Verdict) -> [String] {
        verdict.findings.filter { $0.outcome == .fail }.map(\.code)
    }

    /// What FIRST says of a verdict, without its findings.
    private static func expectEqual(_ all: Verdict, _ first: Verdict, _ name: String) {
        guard case .rejected(let one, let check) = first.decision, case .rejected(let other, let otherCheck) = all.decision
        else {
            Issue.record("\(name): accepted")
            return
        }
        #expect(one.code == other.code && one.retry == other.retry && check == otherCheck, "\(name)")
        // Of a registration these name the device that it would have made, another one each time.
        if one.code.builtIn != .deviceMismatch { #expect(one.detail == other.detail && first.device == all.device, "\(name)") }
        #expect(first.simulated == all.simulated, "\(name)")
        #expect(first.claims.all == all.claims.all && first.binding == all.binding, "\(name)")
        #expect(first.evidenceDigest == all.evidenceDigest && first.feeds == all.feeds, "\(name)")
        // The first failure is the first one of the list.
        #expect(Self.codes(all).first == one.code.rawValue, "\(name)")
        #expect(Self.codes(first).allSatisfy(Self.codes(all).contains), "\(name)")
    }

    @Test("every set of up to three faults comes to the same code, check, sentence and retry class in both reports")
    func same() async throws {
        let harness = try await ServiceHarness(replaying: false)
        for faults in Self.combinations {
            let name = faults.map { Self.faults[$0].name }.joined(separator: ", ")
            var request = try await Self.request(faults, harness)
            let first = try await Self.judge(request, harness)
            request.report = .all
            Self.expectEqual(try await Self.judge(request, harness), first, name)
        }
        #expect(harness.ledger.memory.auditLog.isEmpty, "nothing is accepted, and nothing spent")
    }

    @Test("two faults that do not hide each other are both listed, with the piece that each is of")
    func both() async throws {
        let harness = try await ServiceHarness(replaying: false)
        func all(_ names: String...) async throws -> (codes: [String], checks: [String]) {
            let faults = names.compactMap { name in Self.faults.firstIndex { $0.name == name } }
            #expect(faults.count == names.count)
            var request = try await Self.request(faults, harness)
            request.report = .all
            let verdict = try await Self.judge(request, harness)
            return (Self.codes(verdict), verdict.findings.filter { $0.outcome == .fail }.map(\.check))
        }
        #expect(
            try await all("challenge of another purpose", "counter").codes == ["challenge_wrong_purpose", "counter_not_zero"])
        #expect(try await all("replaced device", "nonce").codes == ["replacement_refused", "nonce_mismatch"])
        #expect(try await all("app", "counter").codes == ["app_id_mismatch", "counter_not_zero"])
        #expect(try await all("counter", "credential").codes == ["counter_not_zero", "credential_id_mismatch"])
        #expect(try await all("short chain", "context").codes == ["challenge_invalid", "bad_chain"])
        let pieces = try await all("evidence of another format", "counter")
        #expect(pieces.codes == ["format_not_accepted", "counter_not_zero"])
        #expect(pieces.checks == ["play-integrity.token/evidence", "app-attest.attestation/counter"])
    }

    @Test("what the failed checks would have authenticated is not reported as a fact, and the report says so")
    func unauthenticated() async throws {
        let harness = try await ServiceHarness(replaying: false)
        for cause in ["nonce", "foreign signer", "expired leaf"] {
            let faults = [cause, "counter", "app"].compactMap { name in Self.faults.firstIndex { $0.name == name } }
            var request = try await Self.request(faults, harness)
            request.report = .all
            let verdict = try await Self.judge(request, harness)
            let codes = Self.codes(verdict)
            #expect(!codes.contains("counter_not_zero") && !codes.contains("app_id_mismatch"), "\(cause): \(codes)")
            #expect(verdict.claims.all.isEmpty)
            #expect(
                verdict.findings.contains {
                    $0.check == Finding.furtherChecks && $0.outcome == .skipped && $0.code == Finding.notChecked
                        && !$0.detail.isEmpty
                }, "\(cause)")
        }
    }

    @Test("a request whose client data are not known has its evidence read, and says that it was not judged")
    func unbound() async throws {
        let harness = try await ServiceHarness(replaying: false)
        let faults = ["challenge that is none", "counter"].compactMap { name in Self.faults.firstIndex { $0.name == name } }
        var request = try await Self.request(faults, harness)
        request.report = .all
        let verdict = try await Self.judge(request, harness)
        #expect(Self.codes(verdict) == ["challenge_invalid"])
        #expect(verdict.findings.contains { $0.check == "evidence" && $0.code == Finding.notChecked })
    }

    @Test("an Android key has every rule of the policy that it fails listed")
    func android() async throws {
        var policy = AndroidPolicy.testing
        policy.apps = [AndroidApp(packageName: "com.example.other", signers: [AndroidPolicy.signer])]
        policy.minimumLevel = .strongBox
        policy.minimumOSVersion = 990_000
        let harness = try await ServiceHarness.android(policy)
        var phone = VirtualAndroid.testing()
        var request = try phone.makeKey().registration(try await harness.challenge(.register))
        let first = try await Self.judge(request, harness)
        request.report = .all
        let all = try await Self.judge(request, harness)
        Self.expectEqual(all, first, "android")
        #expect(Self.codes(first) == ["security_level_too_low"])
        #expect(Set(Self.codes(all)) == ["security_level_too_low", "os_version", "package_mismatch"])
    }

    @Test("a good request is accepted under both reports, and is the same request under its idempotency key")
    func good() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        (request.report, request.idempotencyKey) = (.all, [1])
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && !verdict.repeated)
        #expect(!verdict.findings.contains { $0.code == Finding.notChecked })
        request.report = .first
        let again = try await harness.verify(request)
        #expect(again.isAccepted && again.repeated)
    }

    @Test("a refusal that is remembered for its first failure answers no request for all, and the other way round")
    func memory() async throws {
        let harness = try await ServiceHarness(replaying: false)
        let faults = ["counter", "credential"].compactMap { name in Self.faults.firstIndex { $0.name == name } }
        var request = try await Self.request(faults, harness)
        #expect(Self.codes(try await Self.judge(request, harness)).count == 1)
        request.report = .all
        #expect(Self.codes(try await Self.judge(request, harness)).count == 2)
        request.report = .first
        #expect(Self.codes(try await Self.judge(request, harness)).count == 1)
    }

    @Test("equal requests in progress wait for one with the same report")
    func inProgress() async throws {
        let harness = try await ServiceHarness(replaying: false)
        let faults = ["counter", "credential"].compactMap { name in Self.faults.firstIndex { $0.name == name } }
        var request = try await Self.request(faults, harness)
        request.idempotencyKey = [7]
        var all = request
        all.report = .all
        let admitted = [try harness.admitted(request), try harness.admitted(all), try harness.admitted(request)]
        let verdicts = await harness.pipeline.judge(admitted).compactMap(\.verdict)
        let counts = verdicts.map { Self.codes($0).count }
        #expect(counts == [1, 2, 1])
    }

    @Test("attempts with a challenge are counted, and nothing is judged beyond their limit")
    func attempts() async throws {
        let harness = try await ServiceHarness(replaying: false)
        let faults = ["nonce"].compactMap { name in Self.faults.firstIndex { $0.name == name } }
        var request = try await Self.request(faults, harness)
        request.report = .all
        for _ in 0..<5 { #expect(Self.codes(try await Self.judge(request, harness)) == ["nonce_mismatch"]) }
        let sixth = try await Self.judge(request, harness)
        #expect(Self.codes(sixth) == ["challenge_attempts_exceeded"])
        #expect(sixth.findings.contains { $0.check == Finding.furtherChecks && $0.code == Finding.notChecked })
    }

    @Test("no rejection spends its challenge under either report, and an acceptance does", arguments: VerdictReport.allCases)
    func spent(_ report: VerdictReport) async throws {
        let harness = try await ServiceHarness(replaying: false)
        let challenge = try await harness.challenge(.register)
        let handset = Handset()
        func judge(_ handset: Handset, _ changes: AttestationChanges = .genuine) async throws -> Verdict {
            var request = try handset.registration(challenge, changes: changes)
            request.report = report
            return try await Self.judge(request, harness)
        }
        // The fifth attempt is the last one.
        for _ in 0..<4 {
            let refused = try await judge(handset, AttestationChanges.genuine.authenticatorData { $0.signCount = 1 })
            #expect(Self.codes(refused) == ["counter_not_zero"])
        }
        #expect(harness.ledger.memory.auditLog.isEmpty)
        #expect(try await !judge(handset).isRejected)
        #expect(try await Self.codes(judge(Handset())) == ["challenge_reused"])
        #expect(harness.ledger.memory.auditLog.count == 1)
    }

    @Test("a report that the daemon does not know is an invalid argument, and FIRST is that of a request without one")
    func values() async throws {
        let harness = try await ServiceHarness(replaying: false)
        let message = try Handset().registration(try await harness.challenge(.register)).message
        for (report, isKnown) in [
            (Assay_V1_VerifyRequest.Report.first, true), (.unspecified, true), (.all, true), (.UNRECOGNIZED(3), false),
            (.UNRECOGNIZED(-1), false), (.UNRECOGNIZED(Int(Int32.max)), false),
        ] {
            var given = message
            given.report = report
            let answer = try await harness.ask(API.verify.path, try given.serializedBytes())
            guard case .failure(let error)? = answer else {
                #expect(isKnown, "\(report)")
                continue
            }
            #expect(!isKnown && error.code == .invalidArgument && error.message.hasPrefix("report "), "\(report): \(error)")
        }
    }
}
