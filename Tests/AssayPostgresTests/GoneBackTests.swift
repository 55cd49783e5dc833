import AssayCore
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

/// The data of a server is exchanged for an older copy, and daemons that knew the newer ones are started on it.
@Suite("A database that went back", .needsServer, .serialized, .timeLimit(.minutes(30)))
struct GoneBackTests {
    /// A server of its own, copies of its data, and the files that daemons keep.
    private final class Place {
        let server: TestServer
        let settings: PostgresSettings
        private let folder = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)")

        init() throws {
            server = try TestServer.ownServer()
            settings = try server.database()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        func end() {
            server.remove()
            try? FileManager.default.removeItem(at: folder)
        }

        /// Opens the ledger as a daemon does whose folder is the same each time. Nothing of an earlier one is closed: it may have been killed.
        func open(_ writer: String = "one") throws(LedgerError) -> PostgresLedger {
            var options = PostgresOptions()
            options.holder = LedgerHolder(instance: writer, name: "a test")
            options.acknowledged = try AcknowledgedCommits(path: path(writer))
            return try PostgresLedger.open(settings.writer(writer), options: options)
        }

        func path(_ writer: String = "one") -> String { folder.appending(path: writer).path }

        func addKey() throws { _ = try settings.text("INSERT INTO secrets VALUES ('challenge', 1, '', 0) RETURNING ''") }
        func removeKeys() throws { _ = try settings.text("WITH d AS (DELETE FROM secrets) SELECT ''") }

        private var copy: String { server.folder.appending(path: "copy").path }

        func copyData() throws {
            server.stop()
            try TestProgram.run("/bin/cp", ["-a", server.data, copy])
            try server.start()
        }

        func goBack() throws {
            server.stop(SIGQUIT)
            try FileManager.default.removeItem(atPath: server.data)
            try TestProgram.run("/bin/cp", ["-a", copy, server.data])
            try server.start()
        }
    }

    /// Commits until the server, which was started again, takes it.
    private func commit(_ entry: LedgerEntry, by ledger: PostgresLedger) async throws -> [CommitOutcome] {
        for _ in 0..<1200 {
            do { return try await ledger.commit([entry]) } catch LedgerError.unavailable {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return try await ledger.commit([entry])
    }

    private func refusal(of place: Place, _ writer: String = "one") -> String {
        do throws(LedgerError) {
            try place.open(writer).close()
            return "it opens"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A daemon that is killed and started on an older copy refuses it until the keys of challenges are removed, and so do the others"
    )
    func olderCopy() async throws {
        let place = try Place()
        defer { place.end() }
        let (first, other) = (try place.open(), try place.open("two"))
        defer {
            first.close()
            other.close()
        }
        try place.addKey()
        for ledger in [first, other] { #expect(try await ledger.commit([try Sample.entry()]) == [.committed]) }
        try place.copyData()
        let spent = try Sample.entry()
        #expect(try await commit(spent, by: first) == [.committed])
        #expect(try await commit(try Sample.entry(), by: other) == [.committed])
        try place.goBack()

        // Both were killed: they are not closed, and their successors know their files alone.
        for _ in 0..<2 {
            for writer in ["one", "two"] {
                let words = refusal(of: place, writer)
                #expect(words.hasPrefix("the ledger was replaced: the database has "), "\(words)")
                #expect(
                    words.contains(" commits of the writer \"\(writer)\", and ")
                        && words.contains(" were acknowledged: it went back"))
                #expect(words.contains("run assayd forget-challenges once"))
            }
        }
        let inspection = PostgresBackend(place.settings.writer("two"), acknowledged: place.path("two")).inspect()
        #expect(inspection.obstacle?.contains("it went back") == true, "\(inspection.obstacle ?? "")")
        try place.removeKeys()
        let again = try place.open()
        defer { again.close() }
        try place.addKey()
        #expect(try await again.commit([spent]) == [.committed])
        #expect(refusal(of: place, "two") == "it opens")
        // What was removed for the one copy holds for no other.
        try place.goBack()
        for writer in ["one", "two"] {
            #expect(
                refusal(of: place, writer).hasPrefix(
                    "the ledger was replaced: the database has keys of challenges that were removed since"))
        }
    }

    @Test("A daemon that refused the older copy while it ran refuses it after it was killed too")
    func running() async throws {
        let place = try Place()
        defer { place.end() }
        let ledger = try place.open()
        defer { ledger.close() }
        try place.addKey()
        try place.copyData()
        #expect(try await commit(try Sample.entry(), by: ledger) == [.committed])
        try place.goBack()
        try await eventually("it refuses the copy") {
            _ = try? await ledger.commit([try Sample.entry()])
            return ledger.health.fault != nil
        }
        #expect("\(try #require(ledger.health.fault))".contains("it went back to an earlier state"))
        #expect(refusal(of: place).contains("it went back to an earlier state"))
    }

    @Test("A daemon that is killed at any commit starts on the database that it knew")
    func unharmed() async throws {
        let place = try Place()
        defer { place.end() }
        let ledger = try place.open()
        defer { ledger.close() }
        try place.addKey()
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        for _ in 0..<3 {
            let next = try place.open()
            defer { next.close() }
            #expect(try await next.commit([try Sample.entry()]) == [.committed])
        }
        #expect(refusal(of: place) == "it opens")
    }

    @Test("A daemon that starts does not use a former primary, which it knew before a promotion")
    func formerPrimary() async throws {
        let place = try Place()
        let standby = try place.server.standby()
        defer {
            place.end()
            standby.remove()
        }
        var settings = place.settings
        settings.hosts += standby.settings(settings.database).hosts
        func open() throws(LedgerError) -> PostgresLedger {
            var options = PostgresOptions()
            options.holder = LedgerHolder(instance: "one", name: "a test")
            options.acknowledged = try AcknowledgedCommits(path: place.path())
            return try PostgresLedger.open(settings, options: options)
        }
        let first = try open()
        try place.addKey()
        #expect(try await first.commit([try Sample.entry()]) == [.committed])
        first.close()
        let end = try place.settings.text("SELECT pg_current_wal_lsn()::text")
        var reader = standby.settings(settings.database)
        reader.sessions = "any"
        try await eventually("the standby follows") {
            try reader.text("SELECT (pg_last_wal_replay_lsn() >= '\(end)'::pg_lsn)::text") == "true"
        }
        try place.server.killAll()
        try standby.promote()
        let second = try open()
        _ = try standby.settings(settings.database).text("INSERT INTO secrets VALUES ('challenge', 2, '', 0) RETURNING ''")
        second.close()
        try place.server.start()
        // Alone it is refused; beside the primary the next host is tried.
        #expect(refusal(of: place).contains("the server is a former primary, or was set back"))
        let third = try open()
        // The promotion may have lost verdicts, so that no challenge of before is good.
        let outcome = try await third.commit([try Sample.entry(spends: [])])
        #expect(outcome == [.committed], "\(outcome)")
        third.close()
        #expect(refusal(of: place).contains("run assayd forget-challenges once"))
        try place.removeKeys()
        #expect(refusal(of: place) == "it opens")
    }

    // MARK: The file

    @Test("A record that was cut off leaves the one before, and a file that is no such file is refused")
    func file() throws {
        let place = try Place()
        defer { place.end() }
        let path = place.path()
        var file = try AcknowledgedCommits(path: path)
        #expect(file.mark(of: place.settings) == nil)
        let marks = (1...3).map { AcknowledgedCommits.Mark(system: 7, timeline: 2, removal: 5, commits: $0) }
        for mark in marks { #expect(file.keep(mark, of: place.settings) == nil) }
        file.close()
        file = try AcknowledgedCommits(path: path)
        #expect(file.mark(of: place.settings) == marks[2])
        #expect(file.mark(of: place.settings.writer("other")) == nil)
        file.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The third record lies in the second place, as the first did.
        bytes[512 + 20] ^= 1
        try bytes.write(to: URL(filePath: path))
        file = try AcknowledgedCommits(path: path)
        #expect(file.mark(of: place.settings) == marks[1])
        file.close()
        bytes[20] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(throws: LedgerError.self) { try AcknowledgedCommits(path: path) }
    }
}
