import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Logging
import Testing

@testable import AssayService

@Suite("Request log")
struct RequestLogTests {
    private let book = LogBook()

    private func requestLog(_ level: Logger.Level, limiter: LogRateLimiter = LogRateLimiter()) -> RequestLog {
        RequestLog(logger: book.logger(level), limiter: limiter)
    }

    @Test("an outage is logged as a warning with its cause and the request's id")
    func outage() async throws {
        let harness = try await ServiceHarness(requestLog: requestLog(.info))
        var (handset, _) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        harness.ledger.fail(with: .unavailable("disk full"))
        _ = try await harness.failure(request)
        let line = try #require(book.entries.first)
        #expect(book.entries.count == 1)
        #expect(line.level == .warning && line.metadata["reason"] == "ledger_unavailable")
        #expect(line.metadata["cause"] == "the ledger is unavailable: disk full")
        #expect(line.metadata["app"] == "camera" && line.metadata["caller"] == "loopback-demo")
        #expect(line.metadata["request_id"]?.count == 32)
    }

    @Test("a flood of failures is one line in a period, which says how many were held back")
    func flood() async throws {
        let clock = TestInstant()
        let requestLog = requestLog(.info, limiter: LogRateLimiter(period: .seconds(10), now: { clock.now }))
        let outage = RPCError(LedgerError.unavailable("test"))
        for _ in 0..<1000 { requestLog.failed("/x", outage) }
        requestLog.failed("/x", RPCError(LedgerError.overloaded))
        #expect(book.entries.count == 2, "another reason is another kind")
        clock.advance(.seconds(10))
        requestLog.failed("/x", outage)
        #expect(book.entries.last?.metadata["held_back"] == "999")
        clock.advance(.seconds(10))
        requestLog.failed("/x", outage)
        #expect(book.entries.last?.metadata["held_back"] == nil && book.entries.count == 4)
    }

    @Test("refusals are logged only at debug, with code and check")
    func refusals() async throws {
        for level in [Logger.Level.info, .debug] {
            let book = LogBook()
            let harness = try await ServiceHarness(requestLog: RequestLog(logger: book.logger(level)))
            var (handset, _) = try await harness.enrol()
            let old = try handset.assertion(try await harness.challenge(.assert))
            for _ in 0..<2 { _ = try await harness.verify(old) }
            _ = try await harness.ask(API.verify.path, [0xFF])
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

    @Test("a failure of the daemon is logged as an error")
    func ours() {
        requestLog(.error).failed("/x", RPCError(.internalError, "oops", reason: "unanswered"))
        #expect(book.entries.map(\.level) == [.error])
    }
}
