import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Look-up of verdicts", .timeLimit(.minutes(30)))
struct VerdictsServiceTests {
    private static let (operating, cameraOnly, uploads, others) = (peer(1), peer(2), peer(3), peer(4))

    private static func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }

    private static let callers = CallerDirectory(byUserID: [
        1: Caller(name: "operator", roles: [.operate], apps: nil),
        2: Caller(name: "camera operator", roles: [.operate, .verify], apps: [.camera]),
        3: Caller(name: "uploads", roles: [.verify, .provision], apps: nil),
        4: Caller(name: "others", roles: [.verify, .provision], apps: nil),
    ])

    private func harness() async throws -> ServiceHarness { try await ServiceHarness(callers: Self.callers) }

    /// A request that is rejected as `challenge_invalid`.
    static func rejected(_ app: AppID, subject: [UInt8] = []) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: .assert, challenge: [UInt8](repeating: 0, count: Challenge.length),
            evidence: [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])], subject: subject)
    }

    private func get(
        _ harness: ServiceHarness, _ id: some Collection<UInt8>, _ peer: RPCPeer = operating
    ) async throws -> Assay_V1_VerdictRecord {
        try await harness.call(API.getVerdict, .with { $0.requestID = Data(id) }, peer: peer)
    }

    private func list(
        _ harness: ServiceHarness, _ peer: RPCPeer = operating,
        _ change: (inout Assay_V1_ListVerdictsRequest) -> Void = { _ in }
    ) async throws -> Assay_V1_ListVerdictsResponse {
        var request = Assay_V1_ListVerdictsRequest()
        change(&request)
        return try await harness.call(API.listVerdicts, request, peer: peer)
    }

    private func refusal(_ body: () async throws -> Void) async throws -> RPCError {
        do {
            try await body()
        } catch let error as RPCError {
            return error
        }
        throw ContractViolation("the call was answered")
    }

    // MARK: Get

    @Test("An operator sees each check in order, with the key of the configuration that decides it")
    func whole() async throws {
        let keys = PolicyKeys(
            sections: [
                .init(formats: [.appAttestAssertion], keys: ["signature": "apps.camera.app_attest.identities"])
            ], common: ["bad_signature": "common"])
        let harness = try await ServiceHarness(
            [.testing(.camera, policyKeys: keys), .testing(.notes)], callers: Self.callers)
        let handset = Handset()
        _ = try await harness.verify(
            try handset.registration(try await harness.challenge(.register, peer: Self.uploads)), peer: Self.uploads)
        var stranger = handset
        var request = try stranger.assertion(try await harness.challenge(.assert, peer: Self.uploads))
        request.binding = .clientData(payloadHash: [UInt8](repeating: 1, count: 32))
        let verdict = try await harness.verify(request, peer: Self.uploads)
        let record = try await get(harness, verdict.requestID)
        #expect(record.requestID == verdict.requestID && record.decision == .rejected && record.caller == "uploads")
        #expect(record.reason == verdict.reason && record.detail == verdict.detail && record.check == verdict.check)
        #expect(record.retry == verdict.retry && record.evidenceDigest == verdict.evidenceDigest)
        #expect(record.findings.map(\.finding) == verdict.findings)
        #expect(record.payloadSha256 == Data(repeating: 1, count: 32) && record.binding == .clientData)
        #expect(record.findings.last?.policyKey == "apps.camera.app_attest.identities")
        #expect(record.findings.dropLast().allSatisfy { $0.policyKey.isEmpty })
        let guidance = ReasonCode.badSignature.guidance
        #expect(record.cause == guidance.cause && record.remedy == guidance.remedy && !record.remedy.isEmpty)
    }

    @Test("A caller with the role verify sees reason, sentence and retry class of its own request, and nothing else")
    func summary() async throws {
        let harness = try await harness()
        let verdict = try await harness.verify(Self.rejected(.camera, subject: [7]), peer: Self.uploads)
        let record = try await get(harness, verdict.requestID, Self.uploads)
        let expected = Assay_V1_VerdictRecord.with {
            $0.requestID = verdict.requestID
            $0.timeUnixMs = verdict.decidedAtUnixMs
            $0.decision = .rejected
            $0.app = "camera"
            ($0.reason, $0.detail, $0.retry) = (verdict.reason, verdict.detail, verdict.retry)
        }
        #expect(record == expected)
    }

    @Test("Another caller's request, an unknown one, and one of an app that is not the caller's get the same answer")
    func notFound() async throws {
        let harness = try await harness()
        let own = try await harness.verify(Self.rejected(.camera), peer: Self.uploads)
        let notes = try await harness.verify(Self.rejected(.notes), peer: Self.uploads)
        let accepted = try await harness.verify(
            try Handset().registration(try await harness.challenge(.register, peer: Self.uploads)), peer: Self.uploads)
        let expected = RPCError(
            .notFound,
            "no verdict with this request id is on record: it is older than the records that are kept, was one of a flood of which a sample "
                + "is kept (assay verdicts list has their number), or does not exist", reason: "unknown_request")
        for (id, peer) in [
            (own.requestID, Self.others), (Data(count: 16), Self.uploads), (Data(count: 16), Self.operating),
            (notes.requestID, Self.cameraOnly), (own.requestID.prefix(4), Self.others),
            // An acceptance was answered; only operators find it in the audit log.
            (accepted.requestID, Self.uploads),
        ] {
            #expect(try await refusal { _ = try await get(harness, id, peer) } == expected)
        }
        #expect(try await get(harness, own.requestID, Self.cameraOnly).caller == "uploads")
    }

    @Test("An acceptance is found in the audit log, by its request id or the beginning of it")
    func acceptance() async throws {
        let harness = try await harness()
        for _ in 0..<3 {
            _ = try await harness.verify(
                try Handset().registration(try await harness.challenge(.register, peer: Self.uploads)), peer: Self.uploads)
        }
        let verdict = try await harness.verify(
            try Handset(app: .notes).registration(try await harness.challenge(.register, app: .notes, peer: Self.uploads)),
            peer: Self.uploads)
        for count in [4, 9, 16] {
            let record = try await get(harness, verdict.requestID.prefix(count))
            #expect(record.decision == .accepted && record.requestID == verdict.requestID && record.app == "notes")
            #expect(record.assurance == verdict.assurance && record.deviceID == verdict.deviceID && record.auditNumber == 4)
            #expect(record.policyDigest == verdict.policyDigest && record.caller == "uploads")
        }
        let error = try await refusal { _ = try await get(harness, verdict.requestID, Self.cameraOnly) }
        #expect(error.reason == "unknown_request")
    }

    @Test("An acceptance of another writer is found in its chain, and an id in two chains is ambiguous")
    func acceptanceOfOthers() async throws {
        let harness = try await harness()
        let other = try #require(AuditWriter(named: "w1"))
        func record(_ id: [UInt8]) -> AuditRecord {
            AuditRecord(
                requestID: id, caller: "uploads", app: .notes, purpose: .assert, device: nil, assurance: .hardware,
                evidenceDigest: [], policyDigest: [], simulated: false)
        }
        let ids = [7, 8].map { [1, 2, 3, 4] + [UInt8](repeating: $0, count: 12) }
        harness.ledger.memory.append(record([9] + ids[0].dropFirst()).bytes, at: ServiceHarness.opening, by: other)
        harness.ledger.memory.append(record(ids[0]).bytes, at: ServiceHarness.opening, by: other)
        let found = try await get(harness, ids[0])
        #expect(found.decision == .accepted && found.auditNumber == 2 && found.auditWriter == "w1")
        #expect(try await get(harness, ids[0].prefix(4)).auditNumber == 2)
        _ = try await harness.ledger.commit([LedgerEntry(time: ServiceHarness.opening, spends: [], audit: record(ids[1]))])
        let own = try await get(harness, ids[1])
        #expect(own.auditNumber == 1 && own.auditWriter.isEmpty)
        #expect(try await refusal { _ = try await get(harness, ids[0].prefix(4)) }.reason == "ambiguous_request_id")
    }

    @Test("The beginning of a request id is enough if no other one begins with it")
    func prefixes() async throws {
        let harness = try await harness()
        harness.records.append([
            .sample(id: [1, 2, 3, 4] + [UInt8](repeating: 0, count: 12)),
            .sample(id: [1, 2, 3, 4] + [UInt8](repeating: 1, count: 12)),
            .sample(id: [9, 2, 3, 4] + [UInt8](repeating: 1, count: 12)),
        ])
        #expect(try await get(harness, [9, 2, 3, 4]).requestID.first == 9)
        #expect(try await refusal { _ = try await get(harness, [1, 2, 3, 4]) }.reason == "ambiguous_request_id")
        for count in [0, 3, 17] {
            let error = try await refusal { _ = try await get(harness, [UInt8](repeating: 1, count: count)) }
            #expect(error.code == .invalidArgument, "\(count) bytes")
        }
    }

    // MARK: List

    @Test("Each filter of a listing selects its records, the subject by the value that the caller gave")
    func filters() async throws {
        let harness = try await harness()
        _ = try await harness.verify(Self.rejected(.camera), peer: Self.uploads)
        harness.clock.advance(milliseconds: 1000)
        let verdict = try await harness.verify(Self.rejected(.notes, subject: Array("someone".utf8)), peer: Self.others)
        harness.ledger.fail(with: .unavailable("no"))
        harness.clock.advance(milliseconds: 1000)
        let error = try await harness.failure(
            try Handset().registration(try await harness.challenge(.register, peer: Self.uploads)), peer: Self.uploads)
        harness.ledger.fail(with: nil)
        #expect(error != nil)
        let all = try await list(harness)
        #expect(
            all.records.map(\.app) == ["camera", "notes", "camera"]
                && all.records.map(\.decision) == [.unjudged, .rejected, .rejected])
        #expect(all.records.allSatisfy { $0.findings.isEmpty } && all.state.recording && all.state.problem.isEmpty)
        let time = verdict.decidedAtUnixMs
        let filters: [(String, (inout Assay_V1_ListVerdictsRequest) -> Void)] = [
            ("app", { $0.app = "notes" }), ("caller", { $0.caller = "others" }),
            ("subject", { ($0.app, $0.subject) = ("notes", Data("someone".utf8)) }),
            ("time", { ($0.sinceUnixMs, $0.untilUnixMs) = (time, time + 1) }),
            ("reason and caller", { ($0.reason, $0.caller) = ("challenge_invalid", "others") }),
            ("decision and app", { ($0.decision, $0.app) = (.rejected, "notes") }),
        ]
        for (what, change) in filters {
            #expect(try await list(harness, Self.operating, change).records.map(\.requestID) == [verdict.requestID], "\(what)")
        }
        #expect(try await list(harness) { $0.decision = .unjudged }.records.map(\.reason) == ["ledger_unavailable"])
        #expect(try await list(harness) { ($0.app, $0.subject) = ("notes", Data("else".utf8)) }.records.isEmpty)
        #expect(try await list(harness) { $0.deviceID = Data(count: 16) }.records.isEmpty)
    }

    @Test("A filter that is not of its form is refused, and so is a subject without an app")
    func badFilters() async throws {
        let harness = try await harness()
        let changes: [(inout Assay_V1_ListVerdictsRequest) -> Void] = [
            { $0.app = "NO" }, { $0.subject = Data([1]) }, { $0.deviceID = Data([1]) }, { $0.pageSize = 201 },
            { $0.caller = String(repeating: "a", count: 257) }, { $0.reason = String(repeating: "a", count: 65) },
            { $0.decision = .UNRECOGNIZED(9) }, { $0.pageToken = Data(count: 24) }, { $0.pageToken = Data(count: 25) },
            { ($0.app, $0.subject) = ("camera", Data(count: 257)) },
        ]
        for (number, change) in changes.enumerated() {
            let error = try await refusal { _ = try await list(harness, Self.operating, change) }
            #expect(error.code == .invalidArgument, "change \(number): \(error)")
        }
    }

    @Test("A caller that is limited to some apps sees their records only, and no path in a problem")
    func limitedCallers() async throws {
        let harness = try await harness()
        for app in [AppID.camera, .notes, .camera] { _ = try await harness.verify(Self.rejected(app), peer: Self.uploads) }
        #expect(try await list(harness, Self.cameraOnly).records.map(\.app) == ["camera", "camera"])
        let error = try await refusal { _ = try await list(harness, Self.cameraOnly) { $0.app = "notes" } }
        #expect(error.code == .permissionDenied)
        var status = VerdictRecordStatus()
        status.problem = "/var/lib/assay/verdicts.db: disk full"
        let limited = Caller(name: "limited", roles: [.operate], apps: [])
        #expect(status.message(for: limited).problem == "the log says why")
        #expect(status.message(for: Caller(name: "all", roles: [.operate], apps: nil)).problem == status.problem)
    }

    @Test("Pages follow each other by their tokens, which serve for no other listing")
    func paging() async throws {
        let harness = try await harness()
        harness.records.append((0..<25).map { .sample(Int64($0 / 3)) })
        var (token, seen) = (Data(), [Data]())
        repeat {
            let page = try await list(harness) { ($0.pageSize, $0.pageToken) = (4, token) }
            #expect(page.records.count <= 4)
            seen += page.records.map(\.requestID)
            token = page.nextPageToken
        } while !token.isEmpty
        #expect(seen.count == 25 && Set(seen).count == 25)
        let first = try await list(harness) { $0.pageSize = 4 }
        let error = try await refusal {
            _ = try await list(harness) { ($0.pageToken, $0.reason) = (first.nextPageToken, "bad_chain") }
        }
        #expect(error.code == .invalidArgument && error.message.hasPrefix("page_token"))
    }

    @Test("Where records cannot be read, a listing is UNAVAILABLE, verdicts go on, and acceptances are found")
    func unavailable() async throws {
        let harness = try await harness()
        harness.records.close()
        let error = try await refusal { _ = try await list(harness) }
        #expect(error.code == .unavailable && error.reason == "records_unavailable")
        let accepted = try await harness.verify(
            try Handset().registration(try await harness.challenge(.register, peer: Self.uploads)), peer: Self.uploads)
        #expect(accepted.isAccepted)
        #expect(try await get(harness, accepted.requestID).decision == .accepted)
        let rejected = try await harness.verify(Self.rejected(.camera), peer: Self.uploads)
        #expect(rejected.reason == "challenge_invalid")
        #expect(try await refusal { _ = try await get(harness, rejected.requestID) }.reason == "records_unavailable")
        #expect(harness.recorder.status?.dropped == 1)
    }

    @Test("The status tells how much is recorded, and needs attention where nothing is")
    func status() async throws {
        let harness = try await ServiceHarness()
        _ = try await harness.verify(Self.rejected(.camera))
        let good: Assay_V1_StatusResponse = try await harness.call(API.status, Assay_V1_StatusRequest())
        #expect(good.verdictRecords.recording && good.verdictRecords.rows == 1 && good.verdictRecords.bytes > 0)
        let bad = Assay_V1_StatusResponse.with {
            $0.store.available = true
            $0.verdictRecords.problem = "verdicts.db: disk full"
        }
        #expect(bad.attention().map(\.code) == ["records_unavailable"])
    }
}

@Suite("Keys of the configuration behind checks")
struct PolicyKeysTests {
    private let keys = PolicyKeys(
        sections: [
            .init(
                formats: [.keyAttestation],
                keys: ["package": "android.packages", "package_mismatch": "android.code", "own": "android.own"]),
            .init(formats: [.playIntegrity], keys: ["package": "play.packages", "shared": "play.shared"]),
        ], common: ["too_many_devices": "max_devices_per_subject"])

    private func fail(_ check: String, _ code: String = "") -> Finding { Finding(check: check, outcome: .fail, code: code) }

    @Test("A check is looked up in the section of the evidence's format, the code before the check")
    func single() {
        #expect(keys.key(of: fail("package"), in: [.keyAttestation]) == "android.packages")
        #expect(keys.key(of: fail("package", "package_mismatch"), in: [.keyAttestation]) == "android.code")
        #expect(keys.key(of: fail("package"), in: [.playIntegrity]) == "play.packages")
        #expect(keys.key(of: fail("own"), in: [.playIntegrity]) == nil)
        #expect(keys.key(of: fail("commit", "too_many_devices"), in: [.keyAttestation]) == "max_devices_per_subject")
    }

    @Test("With several formats the check's prefix tells the section")
    func several() {
        let formats: [EvidenceFormat] = [.keyAttestation, .playIntegrity]
        #expect(keys.key(of: fail("\(EvidenceFormat.playIntegrity)/package"), in: formats) == "play.packages")
        #expect(keys.key(of: fail("\(EvidenceFormat.keyAttestation)/package"), in: formats) == "android.packages")
        #expect(keys.key(of: fail("commit", "too_many_devices"), in: formats) == "max_devices_per_subject")
    }

    @Test("Evidence of no section has the key that only one section knows, and none where several do")
    func registered() {
        #expect(keys.key(of: fail("own"), in: [.keySignature]) == "android.own")
        #expect(keys.key(of: fail("package"), in: [.keySignature]) == nil)
        #expect(keys.key(of: fail("none"), in: []) == nil)
    }
}
