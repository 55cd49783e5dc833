import AssayCore
import AssayLedger
import AssayMetrics
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Measurements of the ledger")
struct MeasuredLedgerTests {
    @Test("Transactions, their entries and the files' sizes are measured, and a writer at work is seen to be busy")
    func writer() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("measured-\(UInt64.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try SQLiteLedger.open(path: folder.path + "/ledger.db")
        defer { ledger.close() }
        #expect(ledger.writerBusySeconds == 0)
        let seen = try await ledger.write(weight: 3) { [times = ledger.times] _ in
            usleep(20_000)
            return times.busySeconds
        }
        #expect(seen >= 0.02)
        _ = try await ledger.write { _ in }
        #expect(ledger.times.sizes.snapshot.count >= 1 && ledger.times.sizes.snapshot.sum >= 3)
        #expect(ledger.times.durations.snapshot.sum >= 0.02 && ledger.times.failedCount == 0)
        var exposition = Exposition()
        ledger.collect(into: &exposition)
        let names = Set(exposition.families.map(\.family.name))
        #expect(names == Set(ledger.metricFamilies.map(\.name)), "each family has a sample")
    }
}
