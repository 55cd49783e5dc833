import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Claims beside the audit log")
struct AuditClaimsTests {
    private func get(_ harness: ServiceHarness, _ number: Int64, app: AppID = .camera) async throws
        -> Assay_V1_GetAuditClaimsResponse
    {
        try await harness.call(
            API.getAuditClaims,
            Assay_V1_GetAuditClaimsRequest.with { ($0.app, $0.number) = (app.text, number) })
    }

    private func forget(_ harness: ServiceHarness, _ device: DeviceID, app: AppID = .camera) async throws -> Int64 {
        let response: Assay_V1_ForgetAuditClaimsResponse = try await harness.call(
            API.forgetAuditClaims,
            Assay_V1_ForgetAuditClaimsRequest.with { ($0.app, $0.deviceID) = (app.text, Data(device.bytes)) })
        return response.count
    }

    @Test("are kept for apps that want them, and are those of the verdict")
    func kept() async throws {
        let harness = try await ServiceHarness([.testing(.camera, keepsAuditClaims: true), .testing(.notes)])
        let handset = Handset(app: .camera)
        let verdict = try await harness.verify(
            try handset.registration(try await harness.challenge(.register), at: harness.clock.now()))
        #expect(verdict.isAccepted && !verdict.claims.isEmpty)
        let found = try await get(harness, 1)
        #expect(found.kept && found.genuine && found.claims == verdict.claims)
        #expect(try await !get(harness, 1, app: .notes).kept, "the record is of another app")
        for number in [2, 0, .max] as [Int64] { #expect(try await !get(harness, number).kept) }
        _ = try await harness.enrol(.notes)
        #expect(try await !get(harness, 2, app: .notes).kept)
        let lengths = harness.ledger.memory.auditLog.map(\.record.claimsDigest.count)
        #expect(lengths == [32, 0])
    }

    @Test("are forgotten by device and app, and the chain stays whole")
    func forgotten() async throws {
        let harness = try await ServiceHarness([.testing(.camera, keepsAuditClaims: true), .testing(.notes)])
        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let (_, other) = try await harness.enrol()
        #expect(try await forget(harness, device, app: .notes) == 0)
        #expect(try await forget(harness, device) == 2)
        #expect(try await forget(harness, device) == 0)
        for number in 1...3 as ClosedRange<Int64> { #expect(try await get(harness, number).kept == (number == 3)) }
        var verifier = AuditVerifier(from: AuditChain())
        for row in try await harness.ledger.audit(from: 1, limit: 10).rows { verifier.take(row) }
        #expect(verifier.finish() == nil && verifier.chain.number == 4, "three verdicts, and that claims were forgotten")
        #expect(try await forget(harness, other) == 1)
    }

    @Test("that are not those of the record are called out")
    func exchanged() async throws {
        let harness = try await ServiceHarness()
        let record = AuditRecord(
            requestID: [1], caller: "c", app: .camera, purpose: .assert, device: nil, assurance: .hardware,
            evidenceDigest: [2], policyDigest: [3], simulated: false, claimsDigest: AuditClaims(Claims()).digest)
        let entry = LedgerEntry(
            time: ServiceHarness.opening, spends: [], audit: record, auditClaims: AuditClaims(salt: [1], claims: []))
        _ = try await harness.ledger.commit([entry])
        let found = try await get(harness, 1)
        #expect(found.kept && !found.genuine)
    }
}
