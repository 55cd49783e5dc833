import AssayCore
import AssayRPC
import AssayTesting
import Logging
import Testing

@testable import AssayService

@Suite("Request journal")
struct RequestJournalTests {
    private let book = LogBook()

    private func journal(_ level: Logger.Level, gate: FloodGate = FloodGate()) -> RequestJournal {
        RequestJournal(logger: book.logger(level), gate: gate)
    }

    @Test("says of an outage what failed and why, as a warning, with the request's id")
    func outage() async throws {
        let house = try await House(journal: journal(.info))
        var (handset, _) = try await house.enrol()
        let request = try handset.assertion(try await house.challenge(.assert))
        house.ledger.fail(with: .unavailable("disk full"))
        _ = try await house.failure(request)
        let line = try #require(book.entries.first)
        #expect(book.entries.count == 1)
        #expect(line.level == .warning && line.metadata["reason"] == "ledger_unavailable")
        #expect(line.metadata["cause"] == "the ledger is unavailable: disk full")
        #expect(line.metadata["app"] == "camera" && line.metadata["caller"] == "loopback-demo")
        #expect(line.metadata["request_id"]?.count == 32)
    }

    @Test("says of a flood of failures one line in a period, and how many it held back")
    func flood() async throws {
        let clock = TestInstant()
        let journal = journal(.info, gate: FloodGate(period: .seconds(10), now: { clock.now }))
        let outage = RPCError(LedgerError.unavailable("test"))
        for _ in 0..<1000 { journal.failed("/x", outage) }
        journal.failed("/x", RPCError(LedgerError.overloaded))
        #expect(book.entries.count == 2, "another reason is another kind")
        clock.advance(.seconds(10))
        journal.failed("/x", outage)
        #expect(book.entries.last?.metadata["held_back"] == "999")
        clock.advance(.seconds(10))
        journal.failed("/x", outage)
        #expect(book.entries.last?.metadata["held_back"] == nil && book.entries.count == 4)
    }

    @Test("says of refusals nothing but at debug, with code and check")
    func refusals() async throws {
        for level in [Logger.Level.info, .debug] {
            let book = LogBook()
            let house = try await House(journal: RequestJournal(logger: book.logger(level)))
            var (handset, _) = try await house.enrol()
            let old = try handset.assertion(try await house.challenge(.assert))
            for _ in 0..<2 { _ = try await house.verify(old) }
            _ = try await house.ask(MethodDeclaration.verify.path, [0xFF])
            let said = book.entries.map { [$0.message, $0.metadata["reason"] ?? "", $0.metadata["check"] ?? ""] }
            #expect(
                said
                    == (level == .info
                        ? []
                        : [
                            ["accepted", "", ""], ["accepted", "", ""],
                            ["rejected", "counter_not_increasing", "counter"],
                            ["a call was refused", "undecodable_message", ""],
                        ]))
            #expect(book.entries.allSatisfy { $0.level == .debug })
            // By the names that the API has, never by those of the code.
            let assurances = book.entries.compactMap { $0.metadata["assurance"] }
            #expect(assurances == (level == .info ? [] : ["secure_element", "secure_element"]))
        }
    }

    @Test("of mistakes of ours is an error")
    func ours() {
        journal(.error).failed("/x", RPCError(.internalError, "oops", reason: "unanswered"))
        #expect(book.entries.map(\.level) == [.error])
    }
}

@Suite("Flood gate")
struct FloodGateTests {
    @Test("remembers a bounded number of kinds")
    func bounded() {
        let gate = FloodGate()
        let passed = (0..<1000).count { gate.pass("\($0)") != nil }
        #expect(passed == FloodGate.kindLimit)
        #expect(gate.pass("0") == nil)
    }

    @Test("has room for other kinds when the period of the first is over")
    func room() {
        let clock = TestInstant()
        let gate = FloodGate(period: .seconds(10), now: { clock.now })
        for number in 0..<1000 { _ = gate.pass("\(number)") }
        #expect(gate.pass("new") == nil)
        clock.advance(.seconds(10))
        #expect(gate.pass("new") == 0)
    }
}
