import AssayConfiguration
import AssayCore
import AssaySQLite
import Testing

extension TestHome {
    /// Writes audit records as the daemon would at that time, or now, while no daemon runs.
    func log(records count: Int = 1, at time: Timestamp = SystemClock().now()) async throws {
        let ledger = try SQLiteLedger.open(path: try Configuration.load(configuration).store.name)
        defer { ledger.close() }
        let digest = [UInt8](repeating: 0, count: 32)
        let entries = (0..<count).map { _ in
            LedgerEntry(
                time: time, spends: [],
                audit: AuditRecord(
                    requestID: SecureRandom.bytes(16), caller: "test", app: app, purpose: .assert, device: nil,
                    assurance: .none, evidenceDigest: digest, policyDigest: digest, simulated: true))
        }
        #expect(try await ledger.commit(entries).allSatisfy { $0 == .committed })
    }
}
