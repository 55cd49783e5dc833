import AssayCore
import Foundation
import Testing

@testable import AssayVendors

@Suite("Revocation file")
struct RevocationFileTests {
    private let path = FileManager.default.temporaryDirectory.path + "/list-\(UUID().uuidString).json"
    private let now = Timestamp(unixSeconds: 1_800_000_000)

    private func write(_ text: String, at time: Timestamp) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let date = Date(timeIntervalSince1970: Double(time.unixMilliseconds) / 1000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    private func list(_ serials: String...) -> String {
        #"{"entries": {\#(serials.map { #""\#($0)": {"status": "REVOKED"}"# }.joined(separator: ", "))}}"#
    }

    @Test("A file is as old as its date, and unavailable when that is too old")
    func age() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write(list("1a"), at: now)
        let file = try RevocationFile(path, maxAgeMilliseconds: 1000)
        guard case .snapshot(let snapshot) = file.knowledge(at: now.adding(milliseconds: 1000)) else {
            Issue.record("a list of that age may be used")
            return
        }
        #expect(snapshot[[0x1A]]?.status == .revoked && snapshot.feed.asOf == now)
        let late = now.adding(milliseconds: 1001)
        #expect(file.knowledge(at: late).unavailable?.contains("older than it may be") == true)
        #expect(file.status(at: late).unavailable != nil && file.status(at: now).unavailable == nil)
    }

    @Test("A file dated in the future is unavailable: its age is unknown")
    func future() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let year: Int64 = 365 * 86_400_000
        try write(list("1a"), at: now.adding(milliseconds: year))
        let file = try RevocationFile(path, maxAgeMilliseconds: 86_400_000)
        #expect(file.knowledge(at: now).unavailable?.contains("a date in the future, 2028-01-15") == true)
        #expect(file.status(at: now).unavailable != nil)
        // A clock of another machine may be a few minutes ahead, as elsewhere.
        let due = now.adding(milliseconds: year - RevocationFile.skew)
        #expect(file.knowledge(at: due.adding(milliseconds: -1)).unavailable != nil)
        #expect(file.knowledge(at: due).unavailable == nil)
        try write(list("1a", "2b"), at: now)
        try file.refresh(at: now)
        #expect(file.knowledge(at: now).unavailable == nil && file.snapshot.count == 2)
    }

    @Test("The last good list stays when the new one is empty, or has shrunk by more than a quarter")
    func shrunken() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write(list("1a", "2b", "3c", "4d"), at: now)
        let file = try RevocationFile(path, maxAgeMilliseconds: 86_400_000)
        for (index, text) in [list("1a", "2b"), list(), list("1a:2b", "0x3c", "zz", "-1")].enumerated() {
            try write(text, at: now.adding(milliseconds: Int64(index + 1) * 1000))
            #expect(throws: FeedError.self) { try file.refresh(at: now) }
            #expect(file.snapshot.count == 4, "\(text)")
        }
        try write(list("1a", "2b", "3c"), at: now.adding(milliseconds: 9000))
        try file.refresh(at: now)
        #expect(file.snapshot.count == 3)
        try write(list("1a:2b"), at: now)
        #expect(throws: FeedError.self) { try RevocationFile(path, maxAgeMilliseconds: 1000) }
    }

    @Test("The last good list stays when the file is gone or is not a list, and the reason is shown until that is corrected")
    func problems() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write(list("1a"), at: now)
        let file = try RevocationFile(path, maxAgeMilliseconds: 86_400_000)
        try write("<html>", at: now.adding(milliseconds: 1000))
        for _ in 0..<2 { #expect(throws: FeedError.self) { try file.refresh(at: now) } }
        #expect(file.status(at: now).problem?.hasPrefix("not a revocation list: ") == true)
        #expect(file.snapshot.count == 1 && file.status(at: now).triedAt == now)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: FeedError.unavailable("the file \(path) cannot be read: No such file or directory")) {
            try file.refresh(at: now)
        }
        try write(list("1a"), at: now)
        try file.refresh(at: now)
        #expect(file.status(at: now).problem == nil)
    }
}
