import AssayCore
import AssayTesting
import Logging
import Testing

@testable import AssayVendors

@Suite("Health of a vendor's service")
struct VendorHealthTests {
    private let clock = FixedClock(Timestamp(unixSeconds: 1_750_000_000))
    private let book = LogBook()
    private let watch: VendorHealth

    init() {
        watch = VendorHealth(
            Backoff(first: 1000, cap: 60_000),
            VendorHealth.Words(failing: "it fails", answering: "it answers", metadata: ["host": "vendor.test"]),
            clock: clock, logger: book.logger, random: SeededNumbers(seed: 5))
    }

    private func fail(_ problem: String) { watch.failed(problem, begun: clock.now()) }

    @Test("A failure is logged once, however long it lasts, and the recovery once")
    func once() {
        for _ in 0..<60 {
            fail("status 503")
            clock.advance(milliseconds: 60_000)
        }
        #expect(book.lines == ["error: it fails host=vendor.test problem=status 503"])
        for _ in 0..<5 { watch.succeeded() }
        #expect(book.lines.count == 2 && book.lines.last == "notice: it answers host=vendor.test")
    }

    @Test("Each problem is logged, unless it was logged recently")
    func others() {
        for problem in ["a", "b", "b", "a", "b", "a"] { fail(problem) }
        #expect(book.entries.map { $0.metadata["problem"] } == ["a", "b"])
        clock.advance(milliseconds: VendorHealth.quiet)
        fail("b")
        #expect(book.lines.count == 2, "it was the last that the log heard")
        fail("a")
        #expect(book.entries.map { $0.metadata["problem"] } == ["a", "b", "a"])
    }

    @Test("An unreliable service does not fill the log")
    func flapping() {
        for _ in 0..<100 {
            fail("status 503")
            watch.succeeded()
        }
        #expect(book.lines.count == 2)
        clock.advance(milliseconds: VendorHealth.quiet - 1)
        fail("status 503")
        #expect(book.lines.count == 2)
        clock.advance(milliseconds: 1)
        fail("status 503")
        #expect(book.lines.count == 3, "it fails still")
        watch.succeeded()
        #expect(book.lines.count == 4)
    }

    @Test("A service with a new error each time does not fill the log")
    func chatty() {
        for number in 0..<1000 { fail("status \(number)") }
        #expect(book.lines.count == VendorHealth.problemLimit)
        clock.advance(milliseconds: VendorHealth.quiet)
        fail("status 0")
        #expect(book.lines.count == VendorHealth.problemLimit + 1)
    }

    @Test("Problems other than failures are logged now and then, and stop no requests")
    func noticed() {
        for _ in 0..<100 {
            watch.noticed("a token of another app")
            watch.succeeded()
        }
        #expect(book.lines == ["error: it fails host=vendor.test problem=a token of another app"])
        #expect(watch.admits(at: clock.now()) == .max)
        clock.advance(milliseconds: VendorHealth.quiet)
        watch.noticed("a token of another app")
        #expect(book.lines.count == 2)
    }

    @Test("A failing service stops all requests, and then admits one attempt")
    func breaker() {
        for _ in 0..<CircuitBreaker.patience { fail("status 503") }
        #expect(watch.admits(at: clock.now()) == 0 && !watch.admitsOne(at: clock.now()))
        clock.advance(milliseconds: 1000)
        #expect(watch.admitsOne(at: clock.now()) && !watch.admitsOne(at: clock.now()))
        watch.succeeded()
        #expect(watch.admits(at: clock.now()) == .max)
    }

    @Test("The wait is at least what the service asks for")
    func asked() {
        for _ in 0..<CircuitBreaker.patience { watch.failed("status 429", begun: clock.now(), asked: 30_000) }
        clock.advance(milliseconds: 29_999)
        #expect(watch.admits(at: clock.now()) == 0)
        clock.advance(milliseconds: 1)
        #expect(watch.admits(at: clock.now()) == 1)
    }
}
