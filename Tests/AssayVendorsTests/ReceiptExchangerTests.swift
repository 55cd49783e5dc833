import AssayCore
import AssayTesting
import Logging
import ServiceLifecycle
import Testing

@testable import AssayVendors

@Suite("Receipt exchange", .timeLimit(.minutes(30)))
struct ReceiptExchangerTests {
    private static let now = ExchangeHarness.now
    private static let day = ExchangeHarness.day

    @Test(
        "A request has the Base64 of the receipt as its body, with the token alone or after Bearer", arguments: [false, true])
    func request(_ isBearer: Bool) async throws {
        try await ExchangeHarness.run { harness in
            harness.exchanger.use([harness.route(isBearer: isBearer)])
            let id = try await harness.register()
            let receipt = try await harness.device(id).registration.receipt
            await harness.exchanger.round()
            let asked = try #require(harness.vendor.server.requests.first)
            #expect(asked.method == "POST")
            #expect(asked.path == "/v1/attestationData")
            #expect(asked.text == Base64.standard.encode(receipt))
            let token = try await harness.token.text()
            #expect(asked.header("authorization") == (isBearer ? "Bearer " : "") + token)
        }
    }

    @Test("Where another daemon of the ledger exchanges receipts, nothing is sent")
    func otherDaemon() async throws {
        try await Vendor.run(answer: { _ in TestHTTPSAnswer(404) }) { vendor in
            let harness = try ExchangeHarness(vendor, takes: false)
            _ = try await harness.register()
            await harness.exchanger.round()
            #expect(vendor.server.requests.isEmpty && harness.exchanger.report.due == 0)
        }
    }

    @Test("200: the newer receipt is stored with its metric, and exchanged again a week later", arguments: ["", " \r\n\t"])
    func exchanged(_ space: String) async throws {
        let new = PlainReceipt(from: Self.now, riskMetric: 3)
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(200, text: space + new.base64 + space) }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            let device = try await harness.device(id)
            #expect(device.registration.receipt == new.bytes)
            #expect(
                device.exchange
                    == ReceiptExchange(
                        due: Self.now.adding(milliseconds: 7 * Self.day), metric: RiskMetric(3, at: Self.now)))
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == 1)
            harness.clock.advance(milliseconds: 7 * Self.day)
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == 2)
            #expect(harness.vendor.server.requests.last?.text == new.base64)
            #expect(harness.exchanger.report.exchanged == 2)
        }
    }

    @Test(
        "200 with anything else: the old receipt is kept, and tried again",
        arguments: ["", "<html>no</html>", "AAA", "AAAA BBBB", "bm90"])
    func garbage(_ body: String) async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(200, text: body) }) { harness in
            let id = try await harness.register()
            let before = try await harness.device(id)
            await harness.exchanger.round()
            let after = try await harness.device(id)
            #expect(after.registration == before.registration)
            #expect(after.exchange.failures == 1)
            #expect(after.exchange.metric == nil)
            try #require(harness.exchanger.report.problem != nil)
            let wait = try #require(after.exchange.due).milliseconds(since: Self.now)
            #expect((30_000...60_000).contains(wait))
        }
    }

    @Test("A receipt older than the stored one does not replace it")
    func older() async throws {
        let old = PlainReceipt(from: Self.now.adding(milliseconds: -2 * Self.day), riskMetric: 9)
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(200, text: old.base64) }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            #expect(try await harness.exchange(id).metric == nil)
            #expect(harness.exchanger.report.problem?.text == "a receipt that came in exchange is not good: receipt_too_old")
        }
    }

    @Test("304: the next request is at the time in the receipt, or a day later if there is none")
    func tooEarly() async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(304) }) { harness in
            let silent = try await harness.register()
            await harness.exchanger.round()
            #expect(try await harness.exchange(silent) == ReceiptExchange(due: Self.now.adding(milliseconds: Self.day)))
            #expect(harness.exchanger.report.failed == 0)
        }
    }

    @Test("No request is sent before the time in the receipt")
    func notBefore() async throws {
        try await ExchangeHarness.run { harness in
            let id = try await harness.register(PlainReceipt(from: Self.now, riskMetric: 2).bytes)
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.isEmpty)
            #expect(try await harness.exchange(id).due == Self.now.adding(milliseconds: Self.day))
        }
    }

    @Test("404: there is no metric, which is not an error, and the exchange ends; known facts stay")
    func noData() async throws {
        try await ExchangeHarness.run { harness in
            let id = try await harness.register()
            harness.vendor.server.answerNext(TestHTTPSAnswer(200, text: PlainReceipt(from: Self.now, riskMetric: 2).base64))
            await harness.exchanger.round()
            harness.clock.advance(milliseconds: 8 * Self.day)
            await harness.exchanger.round()
            #expect(
                try await harness.exchange(id)
                    == ReceiptExchange(due: nil, end: .noData, metric: RiskMetric(2, at: Self.now)))
            #expect(harness.exchanger.report.ended == 1)
            #expect(harness.exchanger.report.failed == 0)
            #expect(harness.exchanger.report.problem == nil)
        }
    }

    @Test(
        "400 and other refusals: the receipt is not sent again",
        arguments: [(400, "Bad Payload"), (403, "Forbidden"), (405, ""), (418, "")])
    func refused(_ status: Int, _ body: String) async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(status, text: body) }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            #expect(try await harness.exchange(id) == ReceiptExchange(due: nil, end: .refused))
            #expect(harness.exchanger.report.problem?.text == "Apple does not take the receipt (status \(status))")
            #expect(harness.exchanger.report.ended == 1 && harness.exchanger.report.failed == 0)
        }
    }

    @Test("400 Incorrect Environment: the operator is told, and no receipt is lost")
    func wrongEnvironment() async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(400, text: "Incorrect environment\n") }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            let exchange = try await harness.exchange(id)
            #expect(exchange.due != nil && exchange.end == nil && exchange.failures == 1)
            #expect(harness.exchanger.report.problem?.text.contains("other environment") == true)
        }
    }

    @Test("401: the operator is told, a new token is made, and no receipt is lost")
    func unauthorized() async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(401, text: "Unauthorized") }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            #expect(try await harness.exchange(id).end == nil)
            harness.clock.advance(milliseconds: 60_000)
            await harness.exchanger.round()
            let tokens = harness.vendor.server.requests.map { $0.header("authorization") }
            #expect(tokens.count == 2 && tokens.first != tokens.last)
            #expect(harness.exchanger.report.problem?.text.contains("status 401") == true)
        }
    }

    @Test("429 and 5xx: waits grow, and are at least what the service asks for", arguments: [429, 500, 502, 503])
    func later(_ status: Int) async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(status) }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            let first = try #require(try await harness.exchange(id).due)
            #expect((30_000...60_000).contains(first.milliseconds(since: Self.now)))
            harness.clock.set(first)
            await harness.exchanger.round()
            let second = try #require(try await harness.exchange(id).due)
            #expect((60_000...120_000).contains(second.milliseconds(since: first)))
            harness.vendor.server.answerNext(TestHTTPSAnswer(status, headers: [("retry-after", "7200")]))
            harness.clock.set(second)
            await harness.exchanger.round()
            let third = try #require(try await harness.exchange(id).due)
            #expect(third.milliseconds(since: second) == 7_200_000)
            #expect(try await harness.exchange(id).failures == 3)
        }
    }

    @Test(
        "An unreachable, silent or broken server is asked again",
        arguments: [TestHTTPSAnswer.hangUp, TestHTTPSAnswer(200, text: "half", ending: .cutShort)])
    func broken(_ answer: TestHTTPSAnswer) async throws {
        try await ExchangeHarness.run(answer: { _ in answer }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            #expect(try await harness.exchange(id).failures == 1)
            #expect(harness.exchanger.report.failed == 1)
        }
    }

    @Test(
        "A redirect, another success, or the page of a proxy is not an answer of Apple's",
        arguments: [
            (201, ""), (204, ""), (302, ""), (400, "<html>Bad Request</html>"), (403, " \n<!DOCTYPE html>"),
            (404, "<html>Not Found</html>"),
        ])
    func other(_ status: Int, _ body: String) async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(status, text: body) }) { harness in
            let id = try await harness.register()
            await harness.exchanger.round()
            let exchange = try await harness.exchange(id)
            #expect(exchange.failures == 1 && exchange.due != nil && exchange.end == nil)
            #expect(harness.exchanger.report.problem?.text == "what answered is not Apple's service (status \(status))")
        }
    }

    @Test("The exchange ends when the receipt has expired, or cannot be sent")
    func ends() async throws {
        try await ExchangeHarness.run { harness in
            let old = try await harness.register(at: Self.now.adding(milliseconds: -90 * Self.day), lastAcceptedAt: Self.now)
            let bad = try await harness.register(Array("nonsense".utf8))
            await harness.exchanger.round()
            #expect(try await harness.exchange(old).end == .expired)
            #expect(try await harness.exchange(bad).end == .refused)
            #expect(harness.vendor.server.requests.isEmpty)
            #expect(harness.exchanger.report.ended == 2)
        }
    }

    @Test("Blocked and unused devices are not asked about, and looked at again in a week")
    func idle() async throws {
        try await ExchangeHarness.run { harness in
            let idle = try await harness.register(at: Self.now.adding(milliseconds: -31 * Self.day))
            let blocked = try await harness.register(isBlocked: true)
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.isEmpty)
            for id in [idle, blocked] {
                #expect(try await harness.exchange(id) == ReceiptExchange(due: Self.now.adding(milliseconds: 7 * Self.day)))
            }
        }
    }

    @Test("A fleet is exchanged, a few at a time, until nothing is due")
    func fleet() async throws {
        let new = PlainReceipt(from: Self.now, riskMetric: 1)
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(200, text: new.base64) }) { harness in
            for _ in 0..<70 { try await harness.register() }
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == 70)
            #expect(harness.vendor.server.connectionCount <= ReceiptExchanger.width)
            #expect(harness.exchanger.report.exchanged == 70)
            #expect(harness.exchanger.report.due == 70)
            await harness.exchanger.round()
            #expect(harness.exchanger.report.due == 0)
        }
    }

    @Test("A repeatedly failing service is not asked for a while, tried with one receipt, and then used again")
    func breaker() async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(403) }) { harness in
            for _ in 0..<40 { try await harness.register() }
            await harness.exchanger.round()
            let tried = harness.vendor.server.requests.count
            #expect((CircuitBreaker.patience..<CircuitBreaker.patience + ReceiptExchanger.width).contains(tried))
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == tried)
            harness.clock.advance(milliseconds: 3_600_000)
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == tried + 1)
            let new = PlainReceipt(from: Self.now, riskMetric: 1)
            harness.vendor.server.answer { _ in TestHTTPSAnswer(200, text: new.base64) }
            harness.clock.advance(milliseconds: 3_600_000)
            await harness.exchanger.round()
            #expect(harness.exchanger.report.exchanged == UInt64(40 - tried - 1))
            #expect(harness.log.entries.map(\.message) == ["a receipt could not be exchanged", "receipts are exchanged again"])
        }
    }

    @Test("New routes drop the failures of earlier ones")
    func reload() async throws {
        try await ExchangeHarness.run(answer: { _ in TestHTTPSAnswer(401) }) { harness in
            for _ in 0..<10 { try await harness.register() }
            await harness.exchanger.round()
            let tried = harness.vendor.server.requests.count
            harness.exchanger.use([harness.route()])
            #expect(harness.exchanger.report.problem == nil)
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count > tried)
            harness.exchanger.use([])
            harness.clock.advance(milliseconds: Self.day)
            let then = harness.vendor.server.requests.count
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.count == then)
        }
    }

    @Test("Only receipts of the routes' apps and environments are exchanged")
    func routes() async throws {
        try await ExchangeHarness.run { harness in
            let other = try await harness.register(environment: "development")
            await harness.exchanger.round()
            #expect(harness.vendor.server.requests.isEmpty)
            harness.exchanger.use([harness.route(ReceiptQueue(app: ExchangeHarness.queue.app, environment: "development"))])
            await harness.exchanger.round()
            #expect(try await harness.exchange(other).end == .noData)
        }
    }

    @Test("A ledger's error is reported, and the exchange continues after it")
    func ledger() async throws {
        try await ExchangeHarness.run { harness in
            try await harness.register()
            harness.ledger.fail(with: .unavailable("disk full"))
            await harness.exchanger.round()
            #expect(harness.exchanger.report.problem?.text.contains("disk full") == true)
            harness.ledger.fail(with: nil)
            await harness.exchanger.round()
            #expect(harness.exchanger.report.ended == 1)
        }
    }

    @Test("The exchange runs from the daemon's start to its stop, and the next run continues unfinished work")
    func service() async throws {
        try await ExchangeHarness.run { harness in
            let id = try await harness.register()
            harness.vendor.server.answerNext(.silence)
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: harness.exchanger)], logger: Logger(label: "test")))
            let running = Task { try await group.run() }
            _ = await harness.vendor.server.requests(atLeast: 1)
            await group.triggerGracefulShutdown()
            try await running.value
            let exchange = try await harness.exchange(id)
            #expect(exchange.failures == 0 && exchange.due.map { $0 <= Self.now } == true)
        }
    }
}
