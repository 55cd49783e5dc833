import AssayCore
import AssayTesting
import Testing

@Suite("Memory store of verdict records")
struct MemoryVerdictRecordStoreTests {
    @Test("The memory store of verdict records keeps each promise", arguments: VerdictRecordStoreContract.checks)
    func contract(_ check: VerdictRecordStoreCheck) async throws { try await check.run(on: MemoryVerdictRecordStore()) }

    @Test("The contract fails a store that keeps nothing")
    func brokenStore() async throws {
        struct Forgetful: VerdictRecordStore {
            func append(_ records: [VerdictRecord]) {}
            func page(_ listing: VerdictRecordListing) async throws(VerdictRecordError) -> VerdictRecordPage {
                VerdictRecordPage(records: [], next: nil)
            }
            func records(
                _ prefix: [UInt8], in scope: VerdictRecordScope
            ) async throws(VerdictRecordError) -> [VerdictRecord] { [] }
            func keep(_ limits: VerdictRecordLimits, now: Timestamp) {}
            var status: VerdictRecordStatus { VerdictRecordStatus() }
            func close() {}
        }
        var failures = 0
        for check in VerdictRecordStoreContract.checks {
            do { try await check.run(on: Forgetful()) } catch is ContractViolation { failures += 1 }
        }
        // Only that a new store is empty holds.
        #expect(failures == VerdictRecordStoreContract.checks.count - 1)
    }
}
