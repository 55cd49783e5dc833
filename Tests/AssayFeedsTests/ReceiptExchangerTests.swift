import AssayCore
import AssayTesting
import Logging
import ServiceLifecycle
import Testing

@testable import AssayFeeds

@Suite("Receipt exchange", .timeLimit(.minutes(1)))
struct ReceiptExchangerTests {
    private static let now = ExchangeHouse.now
    private static let day = ExchangeHouse.day

    @Test("sends the Base64 of the receipt and nothing else, with the token bare or behind Bearer", arguments: [false, true])
    func request(_ isBearer: Bool) async throws {
        try await ExchangeHouse.run { house in
            house.exchanger.use([house.lane(isBearer: isBearer)])
            let id = try await house.register()
            let receipt = try await house.device(id).registration.receipt
            await house.exchanger.round()
            let asked = try #require(house.vendor.server.requests.first)
            #expect(asked.method == "POST")
            #expect(asked.path == "/v1/attestationData")
            #expect(asked.text == Base64.standard.encode(receipt))
            let token = try await house.token.text()
            #expect(asked.header("authorization") == (isBearer ? "Bearer " : "") + token)
        }
    }

    @Test("200: keeps the newer receipt with its metric, and exchanges it again a week later", arguments: ["", " \r\n\t"])
    func exchanged(_ space: String) async throws {
        let new = PlainReceipt(from: Self.now, riskMetric: 3)
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(200, text: space + new.base64 + space) }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            let device = try await house.device(id)
            #expect(device.registration.receipt == new.bytes)
            #expect(
                device.exchange
                    == ReceiptExchange(
                        due: Self.now.adding(milliseconds: 7 * Self.day), metric: RiskMetric(3, at: Self.now)))
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == 1)
            house.clock.advance(milliseconds: 7 * Self.day)
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == 2)
            #expect(house.vendor.server.requests.last?.text == new.base64)
            #expect(house.exchanger.report.exchanged == 2)
        }
    }

    @Test(
        "200 with anything else: keeps the old receipt and tries again",
        arguments: ["", "<html>no</html>", "AAA", "AAAA BBBB", "bm90"])
    func garbage(_ body: String) async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(200, text: body) }) { house in
            let id = try await house.register()
            let before = try await house.device(id)
            await house.exchanger.round()
            let after = try await house.device(id)
            #expect(after.registration == before.registration)
            #expect(after.exchange.failures == 1)
            #expect(after.exchange.metric == nil)
            try #require(house.exchanger.report.problem != nil)
            let wait = try #require(after.exchange.due).milliseconds(since: Self.now)
            #expect((30_000...60_000).contains(wait))
        }
    }

    @Test("a receipt older than the one on record replaces nothing")
    func older() async throws {
        let old = PlainReceipt(from: Self.now.adding(milliseconds: -2 * Self.day), riskMetric: 9)
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(200, text: old.base64) }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            #expect(try await house.exchange(id).metric == nil)
            #expect(house.exchanger.report.problem?.text == "a receipt that came in exchange is not good: receipt_too_old")
        }
    }

    @Test("304: asks again when the receipt says, or a day later where it does not say")
    func tooEarly() async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(304) }) { house in
            let silent = try await house.register()
            await house.exchanger.round()
            #expect(try await house.exchange(silent) == ReceiptExchange(due: Self.now.adding(milliseconds: Self.day)))
            #expect(house.exchanger.report.failed == 0)
        }
    }

    @Test("asks nothing before the time that the receipt names")
    func notBefore() async throws {
        try await ExchangeHouse.run { house in
            let id = try await house.register(PlainReceipt(from: Self.now, riskMetric: 2).bytes)
            await house.exchanger.round()
            #expect(house.vendor.server.requests.isEmpty)
            #expect(try await house.exchange(id).due == Self.now.adding(milliseconds: Self.day))
        }
    }

    @Test("404: there is no metric, which is nothing to complain of, and the end; what was known stays known")
    func noData() async throws {
        try await ExchangeHouse.run { house in
            let id = try await house.register()
            house.vendor.server.answerNext(TestHTTPSAnswer(200, text: PlainReceipt(from: Self.now, riskMetric: 2).base64))
            await house.exchanger.round()
            house.clock.advance(milliseconds: 8 * Self.day)
            await house.exchanger.round()
            #expect(
                try await house.exchange(id)
                    == ReceiptExchange(due: nil, end: .noData, metric: RiskMetric(2, at: Self.now)))
            #expect(house.exchanger.report.ended == 1)
            #expect(house.exchanger.report.failed == 0)
            #expect(house.exchanger.report.problem == nil)
        }
    }

    @Test(
        "400 and other refusals: the receipt is not sent again",
        arguments: [(400, "Bad Payload"), (403, "Forbidden"), (405, ""), (418, "")])
    func refused(_ status: Int, _ body: String) async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(status, text: body) }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            #expect(try await house.exchange(id) == ReceiptExchange(due: nil, end: .refused))
            #expect(house.exchanger.report.problem?.text == "Apple does not take the receipt (status \(status))")
            #expect(house.exchanger.report.ended == 1 && house.exchanger.report.failed == 0)
        }
    }

    @Test("400 Incorrect Environment: tells the operator, and loses no receipt")
    func wrongEnvironment() async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(400, text: "Incorrect environment\n") }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            let exchange = try await house.exchange(id)
            #expect(exchange.due != nil && exchange.end == nil && exchange.failures == 1)
            #expect(house.exchanger.report.problem?.text.contains("other environment") == true)
        }
    }

    @Test("401: tells the operator, makes a new token, and loses no receipt")
    func unauthorized() async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(401, text: "Unauthorized") }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            #expect(try await house.exchange(id).end == nil)
            house.clock.advance(milliseconds: 60_000)
            await house.exchanger.round()
            let tokens = house.vendor.server.requests.map { $0.header("authorization") }
            #expect(tokens.count == 2 && tokens.first != tokens.last)
            #expect(house.exchanger.report.problem?.text.contains("status 401") == true)
        }
    }

    @Test("429 and 5xx: waits longer each time, and as long as the service asks", arguments: [429, 500, 502, 503])
    func later(_ status: Int) async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(status) }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            let first = try #require(try await house.exchange(id).due)
            #expect((30_000...60_000).contains(first.milliseconds(since: Self.now)))
            house.clock.set(first)
            await house.exchanger.round()
            let second = try #require(try await house.exchange(id).due)
            #expect((60_000...120_000).contains(second.milliseconds(since: first)))
            house.vendor.server.answerNext(TestHTTPSAnswer(status, headers: [("retry-after", "7200")]))
            house.clock.set(second)
            await house.exchanger.round()
            let third = try #require(try await house.exchange(id).due)
            #expect(third.milliseconds(since: second) == 7_200_000)
            #expect(try await house.exchange(id).failures == 3)
        }
    }

    @Test(
        "a server that is not there, silent, or broken is asked again",
        arguments: [TestHTTPSAnswer.hangUp, TestHTTPSAnswer(200, text: "half", ending: .cutShort)])
    func broken(_ answer: TestHTTPSAnswer) async throws {
        try await ExchangeHouse.run(answer: { _ in answer }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            #expect(try await house.exchange(id).failures == 1)
            #expect(house.exchanger.report.failed == 1)
        }
    }

    @Test(
        "a redirect, another success, or the page of a proxy is no word of Apple's",
        arguments: [
            (201, ""), (204, ""), (302, ""), (400, "<html>Bad Request</html>"), (403, " \n<!DOCTYPE html>"),
            (404, "<html>Not Found</html>"),
        ])
    func other(_ status: Int, _ body: String) async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(status, text: body) }) { house in
            let id = try await house.register()
            await house.exchanger.round()
            let exchange = try await house.exchange(id)
            #expect(exchange.failures == 1 && exchange.due != nil && exchange.end == nil)
            #expect(house.exchanger.report.problem?.text == "what answered is not Apple's service (status \(status))")
        }
    }

    @Test("stops for good when the receipt has expired, or cannot be sent")
    func ends() async throws {
        try await ExchangeHouse.run { house in
            let old = try await house.register(at: Self.now.adding(milliseconds: -90 * Self.day), lastAcceptedAt: Self.now)
            let bad = try await house.register(Array("nonsense".utf8))
            await house.exchanger.round()
            #expect(try await house.exchange(old).end == .expired)
            #expect(try await house.exchange(bad).end == .refused)
            #expect(house.vendor.server.requests.isEmpty)
            #expect(house.exchanger.report.ended == 2)
        }
    }

    @Test("asks nothing about devices that are blocked or not in use, and looks again in a week")
    func idle() async throws {
        try await ExchangeHouse.run { house in
            let idle = try await house.register(at: Self.now.adding(milliseconds: -31 * Self.day))
            let blocked = try await house.register(isBlocked: true)
            await house.exchanger.round()
            #expect(house.vendor.server.requests.isEmpty)
            for id in [idle, blocked] {
                #expect(try await house.exchange(id) == ReceiptExchange(due: Self.now.adding(milliseconds: 7 * Self.day)))
            }
        }
    }

    @Test("exchanges a fleet, a few at a time, until nothing is due")
    func fleet() async throws {
        let new = PlainReceipt(from: Self.now, riskMetric: 1)
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(200, text: new.base64) }) { house in
            for _ in 0..<70 { try await house.register() }
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == 70)
            #expect(house.vendor.server.connectionCount <= ReceiptExchanger.width)
            #expect(house.exchanger.report.exchanged == 70)
            #expect(house.exchanger.report.due == 70)
            await house.exchanger.round()
            #expect(house.exchanger.report.due == 0)
        }
    }

    @Test("a service that fails again and again is left alone, tried with one receipt, and then used again")
    func breaker() async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(403) }) { house in
            for _ in 0..<40 { try await house.register() }
            await house.exchanger.round()
            let tried = house.vendor.server.requests.count
            #expect((CircuitBreaker.patience..<CircuitBreaker.patience + ReceiptExchanger.width).contains(tried))
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == tried)
            house.clock.advance(milliseconds: 3_600_000)
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == tried + 1)
            let new = PlainReceipt(from: Self.now, riskMetric: 1)
            house.vendor.server.answer { _ in TestHTTPSAnswer(200, text: new.base64) }
            house.clock.advance(milliseconds: 3_600_000)
            await house.exchanger.round()
            #expect(house.exchanger.report.exchanged == UInt64(40 - tried - 1))
            #expect(house.log.entries.map(\.message) == ["a receipt could not be exchanged", "receipts are exchanged again"])
        }
    }

    @Test("what was wrong is forgotten with the lanes that it was wrong on")
    func reload() async throws {
        try await ExchangeHouse.run(answer: { _ in TestHTTPSAnswer(401) }) { house in
            for _ in 0..<10 { try await house.register() }
            await house.exchanger.round()
            let tried = house.vendor.server.requests.count
            house.exchanger.use([house.lane()])
            #expect(house.exchanger.report.problem == nil)
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count > tried)
            house.exchanger.use([])
            house.clock.advance(milliseconds: Self.day)
            let then = house.vendor.server.requests.count
            await house.exchanger.round()
            #expect(house.vendor.server.requests.count == then)
        }
    }

    @Test("asks about the receipts of its lanes' apps and environments only")
    func lanes() async throws {
        try await ExchangeHouse.run { house in
            let other = try await house.register(environment: "development")
            await house.exchanger.round()
            #expect(house.vendor.server.requests.isEmpty)
            house.exchanger.use([house.lane(ReceiptQueue(app: ExchangeHouse.queue.app, environment: "development"))])
            await house.exchanger.round()
            #expect(try await house.exchange(other).end == .noData)
        }
    }

    @Test("says what is wrong with the ledger, and goes on when it is well")
    func ledger() async throws {
        try await ExchangeHouse.run { house in
            try await house.register()
            house.ledger.fail(with: .unavailable("disk full"))
            await house.exchanger.round()
            #expect(house.exchanger.report.problem?.text.contains("disk full") == true)
            house.ledger.fail(with: nil)
            await house.exchanger.round()
            #expect(house.exchanger.report.ended == 1)
        }
    }

    @Test("works from the start of the daemon to its stop, and leaves what is under way for the next")
    func service() async throws {
        try await ExchangeHouse.run { house in
            let id = try await house.register()
            house.vendor.server.answerNext(.silence)
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: house.exchanger)], logger: Logger(label: "test")))
            let running = Task { try await group.run() }
            _ = await house.vendor.server.requests(atLeast: 1)
            await group.triggerGracefulShutdown()
            try await running.value
            let exchange = try await house.exchange(id)
            #expect(exchange.failures == 0 && exchange.due.map { $0 <= Self.now } == true)
        }
    }
}
