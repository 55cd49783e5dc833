import AssayCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import AssayPlugins

@Suite("Quarantine")
struct QuarantineTests {
    final class ManualClock: WallClock {
        let time = Mutex(Timestamp(unixMilliseconds: 1_800_000_000_000))
        func now() -> Timestamp { time.withLock { $0 } }
        func advance(hours: Int64) { time.withLock { $0 = $0.adding(milliseconds: hours * 3_600_000) } }
    }

    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: UUID().uuidString)
    let clock = ManualClock()

    func quarantine() -> Quarantine {
        Quarantine(
            folder: folder.path() + "/quarantine", clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func suspicion(_ body: String, id: String = "kiosk", format: String = "example.kiosk") throws -> Suspicion {
        Suspicion(
            id, try #require(AppID("shop")), EvidenceFormat(rawValue: format), Array(body.utf8), isPreparation: false)
    }

    func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("Evidence that is proven is kept for its author, across restarts, in a file of the daemon's user alone")
    func kept() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, suspicion) = (quarantine(), try suspicion("body\nof two lines"))
        #expect(first.isEmpty)
        first.suspect([suspicion.digest])
        #expect(first.standing(suspicion.digest) == .suspect && first.list().isEmpty)
        first.prove(suspicion, end: "exited with status 1")
        #expect(first.standing(suspicion.digest) == .refused)
        let path = folder.path() + "/quarantine"
        let file = path + "/" + Hex.encode(suspicion.digest) + ".evidence"
        #expect(try mode(path) == 0o700 && mode(file) == 0o600)

        let second = quarantine()
        #expect(second.standing(suspicion.digest) == .refused)
        let (evidence, body) = try #require(second.read(suspicion.digest))
        #expect(body == Array("body\nof two lines".utf8) && evidence.size == body.count && evidence.hasBody)
        #expect(evidence.plugin == "kiosk" && evidence.app.text == "shop" && evidence.end == "exited with status 1")
        #expect(second.list(of: "kiosk") == [evidence] && second.list(of: "other").isEmpty)

        #expect(second.release(suspicion.digest) && !second.release(suspicion.digest))
        #expect(second.read(suspicion.digest) == nil && quarantine().list().isEmpty)
    }

    @Test("Entry, format and body name evidence, each with its length")
    func digests() throws {
        let digests = [
            try suspicion("b").digest, try suspicion("c").digest, try suspicion("b", id: "kiosk-next").digest,
            try suspicion("xb", format: "example.kios").digest, try suspicion("b", format: "example.kioskx").digest,
            Suspicion(
                "kiosk", try #require(AppID("shop")), EvidenceFormat(rawValue: "example.kiosk"), Array("b".utf8),
                isPreparation: true
            )
            .digest,
        ]
        #expect(Set(digests).count == digests.count && digests.allSatisfy { $0.count == 32 })
    }

    @Test("After 24 h evidence is neither refused nor suspected, and its file is gone")
    func lifetime() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (quarantine, proven, suspect) = (quarantine(), try suspicion("proven"), try suspicion("suspect"))
        quarantine.prove(proven, end: "")
        quarantine.suspect([suspect.digest])
        clock.advance(hours: 23)
        #expect(quarantine.standing(proven.digest) == .refused && quarantine.standing(suspect.digest) == .suspect)
        clock.advance(hours: 1)
        #expect(quarantine.standing(proven.digest) == .unknown && quarantine.standing(suspect.digest) == .unknown)
        #expect(quarantine.list().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path() + "/quarantine").isEmpty)
    }

    @Test("Suspects are at most 1000: the oldest are forgotten")
    func suspects() throws {
        let quarantine = quarantine()
        let digests = try (0..<1500).map { try suspicion("\($0)").digest }
        for digest in digests { quarantine.suspect([digest]) }
        let suspects = digests.filter { quarantine.standing($0) == .suspect }
        let newest = Array(digests.suffix(1000))
        #expect(suspects == newest)
        for digest in digests { quarantine.clear(digest) }
        #expect(quarantine.isEmpty)
    }

    @Test("Bodies are kept up to 16 MiB, and refused digests up to 1000")
    func bounds() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let quarantine = quarantine()
        let large = String(repeating: "x", count: 524_280)
        for index in 0..<40 { quarantine.prove(try suspicion(large + "\(index)"), end: "") }
        let kept = quarantine.list().filter(\.hasBody)
        #expect(kept.count == 31 || kept.count == 32)
        #expect(kept.reduce(0) { $0 + $1.size } <= Quarantine.bodyLimit)
        let without = try #require(quarantine.list().first { !$0.hasBody })
        #expect(quarantine.read(without.digest)?.body.isEmpty == true)
        #expect(quarantine.standing(without.digest) == .refused)
    }

    @Test("Files that are none of the quarantine's are left alone")
    func strangers() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "quarantine")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        let names = ["note.txt", "zz.evidence", String(repeating: "ab", count: 32) + ".evidence"]
        for name in names { try Data("no JSON\n".utf8).write(to: path.appending(path: name)) }
        #expect(quarantine().list().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path.path()).sorted() == names.sorted())
    }
}
