import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("SQLite store of recordings", .timeLimit(.minutes(30)))
struct RecordingsTests {
    let directory: TemporaryDirectory
    private var path: String { directory.path("verdicts.db") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(queueLimit: Int = SQLiteVerdictRecords.queueLimit) -> SQLiteVerdictRecords {
        SQLiteVerdictRecords(
            SQLiteVerdictRecords.Place(path: path), clock: FixedClock(Sample.now), queueLimit: queueLimit)
    }

    @Test("Each store of recordings keeps each promise", arguments: RecordingStoreContract.checks)
    func contract(_ check: RecordingStoreCheck) async throws {
        let store = open()
        try await check.run(on: store)
        store.close()
        try await check.run(on: MemoryRecordingStore())
    }

    @Test("Recordings are read again after the store was closed, beside the records, and are counted in no limit of theirs")
    func reopening() async throws {
        let camera = try #require(AppID("camera"))
        let first = open()
        first.append([VerdictRecord.sample(1)])
        first.append((0..<50).map { .sample(Int64($0), app: camera, mark: UInt8($0), size: 60_000) })
        first.close()
        let second = open()
        #expect(try await second.all().count == 50)
        #expect(second.recordingStatus.rows == 50 && second.recordingStatus.bytes > 3_000_000)
        var limits = VerdictRecordLimits()
        limits.bytes = 1 << 20
        second.keep(limits, now: VerdictRecord.sampleTime)
        #expect(try await second.count() == 1, "the records have a limit of their own")
        #expect(try await second.all().count == 50)
        second.close()
    }

    @Test("Nothing of a forgotten device's recordings is left in the file or its log")
    func overwritten() async throws {
        let (camera, device) = (try #require(AppID("camera")), DeviceID.random())
        let mark = Array("the evidence of one device".utf8)
        let store = open()
        let evidence = SealedEvidence(key: [UInt8](repeating: 7, count: 40), sealed: (0..<400).flatMap { _ in mark })
        store.append([.sample(1, app: camera, device: device, size: 20_000, evidence: evidence), .sample(2, app: camera)])
        #expect(try await store.forget(device, of: camera, evidenceOnly: false) == 1)
        for side in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: path + side) ?? Data()
            #expect(bytes.range(of: Data(mark)) == nil, "\(side)")
        }
        store.close()
    }

    @Test("A queue that is full drops recordings and counts them")
    func full() async throws {
        let camera = try #require(AppID("camera"))
        let store = open(queueLimit: 1)
        store.close()
        store.append([.sample(1, app: camera), .sample(2, app: camera)])
        #expect(store.recordingStatus.dropped == 2)
    }
}
