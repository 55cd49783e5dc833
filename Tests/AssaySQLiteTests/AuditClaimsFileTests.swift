import AssayCore
import AssaySQLite
import AssayTesting
import Foundation
import Testing

@Suite("Claims beside the audit log, in the file")
struct AuditClaimsFileTests {
    @Test("Deleted claims are overwritten in the file, and so are those dropped with their records")
    func erased() async throws {
        let directory = try TemporaryDirectory()
        let device = try Sample.device()
        let ledger = try SQLiteLedger.open(path: directory.path())
        _ = try await ledger.commit([try Sample.entry(registrations: [device])])
        let claims = (0..<40).map { _ in
            AuditClaims(salt: SecureRandom.bytes(16), claims: SecureRandom.bytes(200))
        }
        for (index, kept) in claims.enumerated() {
            let record = AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "tester", app: device.app, purpose: .assert,
                device: index < 20 ? device.id : nil, assurance: .hardware, evidenceDigest: [], policyDigest: [],
                simulated: false, claimsDigest: kept.digest)
            let entry = LedgerEntry(
                time: Sample.now, spends: [Sample.spend()], audit: record, auditClaims: kept)
            #expect(try await ledger.commit([entry]) == [.committed])
        }
        ledger.close()
        func found() throws -> [Bool] {
            let file = try Data(contentsOf: URL(fileURLWithPath: directory.path()))
            return claims.map { file.firstRange(of: Data($0.salt)) != nil || file.firstRange(of: Data($0.claims)) != nil }
        }
        #expect(try found() == [Bool](repeating: true, count: 40))

        let second = try SQLiteLedger.open(path: directory.path())
        #expect(try await second.forgetAuditClaims(of: device.id, app: device.app) == 20)
        second.close()
        #expect(try found() == [Bool](repeating: false, count: 20) + [Bool](repeating: true, count: 20))

        let third = try SQLiteLedger.open(path: directory.path())
        #expect(try await third.trim(to: Retention(auditFrom: .distantFuture)).auditRows == 42)
        third.close()
        #expect(try found() == [Bool](repeating: false, count: 40))
    }
}
