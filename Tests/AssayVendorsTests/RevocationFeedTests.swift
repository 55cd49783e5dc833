import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import AssayVendors

@Suite("Revocation feed", .timeLimit(.minutes(30)))
struct RevocationFeedTests {
    private let clock = FixedClock(Timestamp(unixSeconds: 1_800_000_000))
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// A server with a certificate of an authority that the client trusts.
    private struct Site {
        let server: TestHTTPSServer
        let client: VendorClient
    }

    private func site(trusted: Bool = true, totalMilliseconds: Int64 = 60_000, answerLimit: Int = 4 << 20) async throws -> Site
    {
        let authority = try TestTLSAuthority()
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        let server = try await TestHTTPSServer(certificate: issued.certificate, privateKey: issued.privateKey)
        let roots = Array((trusted ? authority : try TestTLSAuthority()).pem.utf8)
        // The first connection of a client is slow in debug builds.
        let settings = VendorSettings(
            connectMilliseconds: 60_000, totalMilliseconds: totalMilliseconds, answerLimit: answerLimit, extraRoots: roots)
        return Site(server: server, client: try VendorClient(settings))
    }

    private func feed(
        _ site: Site, file: String? = nil, maxAge: Int64 = 86_400_000, logger: Logger? = nil, clock: (any WallClock)? = nil
    ) throws -> RevocationFeed {
        let address = try #require(VendorAddress(site.server.address))
        return RevocationFeed(
            name: "list",
            settings: .init(address: address, path: "/attestation/status", maxAgeMilliseconds: maxAge, file: file),
            client: site.client, clock: clock ?? self.clock, logger: logger ?? self.logger)
    }

    private func list(_ count: Int, status: String = "REVOKED") -> String {
        let entries = (0..<count).map { #""\#(String($0 + 16, radix: 16))": {"status": "\#(status)"}"# }
        return #"{"entries": {\#(entries.joined(separator: ", "))}}"#
    }

    private func known(_ feed: RevocationFeed) -> RevocationSnapshot? {
        if case .snapshot(let snapshot) = feed.knowledge(at: clock.now()) { snapshot } else { nil }
    }

    private func temporaryFile() -> String { FileManager.default.temporaryDirectory.path + "/feed-\(UUID().uuidString)" }

    @Test("Before the first answer nothing is known, then the list is in force until it is too old")
    func life() async throws {
        let site = try await site()
        let feed = try feed(site)
        guard case .unavailable(let before) = feed.knowledge(at: clock.now()) else {
            Issue.record("something is known before anybody answered")
            return
        }
        #expect(before.contains("no list"))
        site.server.answer { _ in .json(self.list(4)) }
        await feed.ask()
        #expect(known(feed)?.count == 4 && known(feed)?[[0x10]]?.status == .revoked && known(feed)?[[0x14]] == nil)
        #expect(site.server.requests.map(\.path) == ["/attestation/status"])
        clock.advance(milliseconds: 86_400_000)
        #expect(known(feed) != nil)
        clock.advance(milliseconds: 1)
        guard case .unavailable(let after) = feed.knowledge(at: clock.now()) else {
            Issue.record("a list that is too old is in use")
            return
        }
        #expect(after.contains("older than it may be"))
        try await site.server.stop()
    }

    @Test("The feed is fetched again when the answer expires, with its tag, and 304 confirms the list")
    func caching() async throws {
        let site = try await site()
        let feed = try feed(site)
        let headers = [("etag", "\"v1\""), ("cache-control", "public, max-age=3600"), ("age", "600")]
        site.server.answerNext(TestHTTPSAnswer(text: list(2), headers: headers))
        #expect(await feed.askIfDue() == 3_000_000)
        #expect(known(feed)?.feed.asOf == clock.now().adding(milliseconds: -600_000))
        clock.advance(milliseconds: 2_999_999)
        #expect(await feed.askIfDue() == 1)
        #expect(site.server.requests.count == 1)
        clock.advance(milliseconds: 1)
        site.server.answerNext(TestHTTPSAnswer(304, headers: [("cache-control", "max-age=7200")]))
        #expect(await feed.askIfDue() == 7_200_000)
        #expect(site.server.requests.last?.header("if-none-match") == "\"v1\"")
        #expect(known(feed)?.feed.asOf == clock.now() && known(feed)?.count == 2)
        try await site.server.stop()
    }

    @Test("The copy on disk has the date of the last answer that confirmed the list")
    func confirmedOnDisk() async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let site = try await site()
        let feed = try feed(site, file: path)
        site.server.answerNext(TestHTTPSAnswer(text: list(3), headers: [("etag", "\"v1\"")]), TestHTTPSAnswer(304))
        await feed.ask()
        clock.advance(milliseconds: 86_400_000)
        await feed.ask()
        #expect(known(feed)?.feed.asOf == clock.now())
        #expect(known(try self.feed(site, file: path))?.feed == known(feed)?.feed)
        try await site.server.stop()
    }

    @Test("An operator's list stays when an answer about an earlier one comes after it: 304, or an older list")
    func loadedMeanwhile() async throws {
        let site = try await site()
        let book = LogBook()
        let feed = try feed(site, logger: book.logger)
        site.server.answerNext(TestHTTPSAnswer(text: list(2), headers: [("etag", "\"v1\"")]))
        await feed.ask()
        let asked = try #require(feed.state.withLock { $0.list })
        clock.advance(milliseconds: 3_600_000)
        let loaded = clock.now()
        _ = try await feed.load(Array(list(8).utf8), asOf: loaded)
        clock.advance(milliseconds: 1000)
        await feed.confirm(asked, asOf: clock.now())
        #expect(known(feed)?.count == 8 && known(feed)?.feed.asOf == loaded)
        site.server.answerNext(TestHTTPSAnswer(text: list(7), headers: [("age", "60")]))
        await feed.ask()
        #expect(known(feed)?.count == 8 && known(feed)?.feed.asOf == loaded)
        #expect(!book.lines.contains { $0.contains("could not be refreshed") })
        #expect(feed.status(at: clock.now()).problem == nil)
        try await site.server.stop()
    }

    @Test("The feed is fetched at most every five minutes, and at least after half of the list's maximum age")
    func bounds() async throws {
        let site = try await site()
        let feed = try feed(site)
        for (cacheControl, wait) in [
            ("max-age=0", 300_000), ("no-store", 300_000), ("max-age=9999999999", 43_200_000),
            ("max-age=-9223372036854775808", 300_000), ("x", 300_000),
        ] {
            site.server.answerNext(TestHTTPSAnswer(text: list(2), headers: [("cache-control", cacheControl)]))
            #expect(await feed.askIfDue() == wait, "\(cacheControl)")
            clock.advance(milliseconds: Int64(wait))
        }
        try await site.server.stop()
    }

    @Test("New lists are accepted again after a fast clock was corrected")
    func clockAhead() async throws {
        let site = try await site()
        let feed = try feed(site)
        let year: Int64 = 365 * 86_400_000
        clock.advance(milliseconds: year)
        site.server.answerNext(TestHTTPSAnswer(text: list(4), headers: [("etag", "\"v1\"")]))
        _ = await feed.askIfDue()
        clock.advance(milliseconds: -year)
        site.server.answerNext(TestHTTPSAnswer(304))
        _ = await feed.askIfDue()
        #expect(known(feed)?.feed.asOf == clock.now() && known(feed)?.count == 4)
        clock.advance(milliseconds: year)
        site.server.answerNext(TestHTTPSAnswer(text: list(5)))
        _ = await feed.askIfDue()
        clock.advance(milliseconds: -year)
        site.server.answerNext(TestHTTPSAnswer(text: list(6), headers: [("age", "60")]))
        _ = await feed.askIfDue()
        #expect(known(feed)?.feed.asOf == clock.now().adding(milliseconds: -60_000) && known(feed)?.count == 6)
        clock.advance(milliseconds: year)
        site.server.answerNext(TestHTTPSAnswer(text: list(7)))
        _ = await feed.askIfDue()
        clock.advance(milliseconds: -year)
        #expect(try await feed.load(Array(list(8).utf8), asOf: clock.now()).count == 8)
        try await site.server.stop()
    }

    @Test("A list accepted under a fast clock expires like any other")
    func clockAheadAndNoAnswer() async throws {
        let site = try await site()
        let feed = try feed(site)
        let year: Int64 = 365 * 86_400_000
        clock.advance(milliseconds: year)
        site.server.answerNext(TestHTTPSAnswer(text: list(4)))
        _ = await feed.askIfDue()
        clock.advance(milliseconds: -year)
        site.server.answerNext(TestHTTPSAnswer(503))
        _ = await feed.askIfDue()
        #expect(known(feed)?.count == 4 && known(feed)?.feed.asOf == clock.now())
        clock.advance(milliseconds: 86_400_000)
        #expect(known(feed)?.count == 4)
        clock.advance(milliseconds: 1)
        #expect(known(feed) == nil)
        try await site.server.stop()
    }

    @Test(
        "The last good list stays in force when an answer is not a list",
        arguments: [
            TestHTTPSAnswer(500, text: "no"), TestHTTPSAnswer(403), TestHTTPSAnswer(304), TestHTTPSAnswer(text: "<html>"),
            TestHTTPSAnswer(text: #"{"entries": {}}"#), TestHTTPSAnswer(text: #"{"entries": {"10": {"status": "REVOKED"}}}"#),
            .silence, .hangUp, TestHTTPSAnswer(200, [UInt8](repeating: 0x7B, count: 1000), ending: .cutShort),
            TestHTTPSAnswer(200, [UInt8](repeating: 0x7B, count: 1000), ending: .stalled), .zeros(200_000),
            TestHTTPSAnswer(301, headers: [("location", "https://localhost/elsewhere")]),
        ])
    func misbehaviour(_ answer: TestHTTPSAnswer) async throws {
        let site = try await site(totalMilliseconds: 15_000, answerLimit: 100_000)
        let feed = try feed(site)
        // Given rather than fetched: a busy machine may not answer in the time that the silent answers take up.
        let good = try await feed.load(Array(list(8).utf8), asOf: clock.now())
        site.server.answerNext(answer)
        clock.advance(milliseconds: 1000)
        await feed.ask()
        #expect(known(feed) === good)
        #expect(feed.status(at: clock.now()).problem != nil && feed.status(at: clock.now()).triedAt == clock.now())
        let wait = await feed.askIfDue()
        #expect((15_000...30_000).contains(wait), "the first back-off, \(wait)")
        // It is in force again once the service answers.
        site.server.answer { _ in .json(self.list(9)) }
        clock.advance(milliseconds: wait)
        _ = await feed.askIfDue()
        #expect(known(feed)?.count == 9 && feed.status(at: clock.now()).problem == nil)
        try await site.server.stop()
    }

    @Test("A list with odd entries is used, and they are logged once for each version")
    func oddEntries() async throws {
        let site = try await site()
        let (book, path) = (LogBook(), temporaryFile())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let feed = try feed(site, file: path, logger: book.logger)
        let odd = list(3).replacing("{\"entries\": {", with: #"{"entries": {"0x99": {"status": "REVOKED"}, "99": "REVOKED", "#)
        site.server.answer { _ in .json(odd) }
        await feed.ask()
        await feed.ask()
        let words = "warning: a list has entries that are not of the documented form; the rest of it is used "
        func told() -> [String] { book.lines.filter { $0.hasPrefix(words) } }
        #expect(known(feed)?[[0x10]]?.status == .revoked && known(feed)?[[0x99]]?.status == .unreadable)
        #expect(feed.status(at: clock.now()).snapshot?.oddEntries == .init(unreadable: 2, unknownStatus: 0, example: "0x99"))
        #expect(told().count == 1 && told().first?.contains("example=0x99") == true, "\(book.lines)")
        #expect(told().first?.contains("unreadable=2 ") == true && feed.status(at: clock.now()).problem == nil)
        site.server.answer { _ in .json(odd + " ") }
        await feed.ask()
        #expect(told().count == 2, "another version")
        _ = try self.feed(site, file: path, logger: book.logger)
        #expect(told().count == 3, "a daemon that starts with the kept copy")
        // Another number of odd entries than one of many is another matter.
        let many = (0..<20).map { #""x\#($0)": {"status": "REVOKED"}"# }.joined(separator: ", ")
        site.server.answer { _ in .json(#"{"entries": {\#(many)}}"#) }
        await feed.ask()
        #expect(feed.status(at: clock.now()).problem?.contains("20 of 20 entries cannot be read") == true)
        #expect(known(feed)?.count == 4)
        try await site.server.stop()
    }

    @Test("Until the first list the feed says that there is none")
    func noListYet() async throws {
        let site = try await site()
        let book = LogBook()
        let feed = try feed(site, logger: book.logger)
        site.server.answer { _ in TestHTTPSAnswer(503) }
        await feed.ask()
        #expect(book.lines.count == 1 && book.lines.first?.contains("there is no list yet") == true, "\(book.lines)")
        #expect(book.lines.first?.contains("last good one") == false)
        #expect(feed.status(at: clock.now()).unavailable?.contains("no list of list is known yet") == true)
        site.server.answer { _ in .json(self.list(2)) }
        await feed.ask()
        #expect(feed.status(at: clock.now()).unavailable == nil)
        site.server.answer { _ in TestHTTPSAnswer(503) }
        await feed.ask()
        #expect(book.lines.last?.contains("the last good one stays") == true, "\(book.lines)")
        try await site.server.stop()
    }

    @Test("A server without a trusted certificate is refused")
    func wrongCertificate() async throws {
        let site = try await site(trusted: false)
        site.server.answer { _ in .json(self.list(3)) }
        let feed = try feed(site)
        await feed.ask()
        #expect(known(feed) == nil && site.server.requests.isEmpty)
        #expect(feed.status(at: clock.now()).problem?.contains("cannot be trusted") == true)
        try await site.server.stop()
    }

    @Test("The feed starts with the copy on disk, with its age")
    func disk() async throws {
        let site = try await site()
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        site.server.answer { _ in TestHTTPSAnswer(text: self.list(5), headers: [("etag", "W/\"a b\"")]) }
        await (try feed(site, file: path)).ask()
        clock.advance(milliseconds: 1000)
        let restarted = try feed(site, file: path)
        #expect(known(restarted)?.count == 5)
        #expect(known(restarted)?.feed.asOf == clock.now().adding(milliseconds: -1000))
        await restarted.ask()
        #expect(site.server.requests.last?.header("if-none-match") == "W/\"a b\"")
        clock.advance(milliseconds: -5000)
        #expect(known(try feed(site, file: path)) == nil, "a copy from the future")
        clock.advance(milliseconds: 5000)
        try Data("garbage".utf8).write(to: URL(fileURLWithPath: path))
        #expect(known(try feed(site, file: path)) == nil)
        try await site.server.stop()
    }

    @Test("An operator's list is accepted, an older or much shorter one only with force")
    func load() async throws {
        let site = try await site()
        let feed = try feed(site)
        let now = clock.now()
        #expect(try await feed.load(Array(list(100).utf8), asOf: now).count == 100)
        await #expect(throws: FeedError.shrunken(from: 100, to: 74)) { try await feed.load(Array(list(74).utf8), asOf: now) }
        #expect(try await feed.load(Array(list(75).utf8), asOf: now).count == 75)
        await #expect(throws: FeedError.shrunken(from: 75, to: 0)) { try await feed.load(Array(list(0).utf8), asOf: now) }
        let earlier = now.adding(milliseconds: -1)
        await #expect(throws: FeedError.outdated) { try await feed.load(Array(list(80).utf8), asOf: earlier) }
        #expect(try await feed.load(Array(list(0).utf8), asOf: earlier, evenIfShrunken: true).count == 0)
        try await site.server.stop()
    }

    #if os(Linux)
        /// Keeps the nice values of the threads that ask for the time.
        private final class NotingClock: WallClock {
            private let niceness = Mutex<Set<Int32>>([])

            func now() -> Timestamp {
                let thread: Int32 = 0  // PRIO_PROCESS
                let value = getpriority(thread, 0)
                niceness.withLock { _ = $0.insert(value) }
                return Timestamp(unixSeconds: 1_800_000_000)
            }

            func take() -> Set<Int32> {
                niceness.withLock { niceness in
                    defer { niceness = [] }
                    return niceness
                }
            }
        }

        @Test("Lists are read on a thread that steps back behind requests: a fetched one, and an operator's")
        func stepsBack() async throws {
            let site = try await site()
            site.server.answer { _ in .json(self.list(3)) }
            let clock = NotingClock()
            let feed = try feed(site, clock: clock)
            #expect(clock.take().allSatisfy { $0 == 0 })
            await feed.ask()
            #expect(clock.take() == [0, 10])
            #expect(try await feed.load(Array(list(8).utf8), asOf: clock.now()).count == 8)
            #expect(clock.take() == [0, 10])
            try await site.server.stop()
        }
    #endif

    @Test("The feed is fetched only while an app uses it, and at once when one starts to")
    func wanted() async throws {
        let site = try await site()
        site.server.answer { _ in .json(self.list(3)) }
        let feed = try feed(site)
        let address = try #require(VendorAddress(site.server.address))
        feed.use(.init(address: address, path: "/a", file: nil, isWanted: false))
        _ = await feed.askIfDue()
        #expect(site.server.requests.isEmpty)
        let running = Task { try await feed.run() }
        feed.use(.init(address: address, path: "/b", file: nil))
        #expect(await site.server.requests(atLeast: 1).map(\.path) == ["/b"])
        running.cancel()
        try await running.value
        try await site.server.stop()
    }
}
