import AssayTesting
import Testing

@testable import AssayRPC

@Suite("Log rate limiter")
struct LogRateLimiterTests {
    @Test("the limiter remembers a bounded number of kinds")
    func bounded() {
        let limiter = LogRateLimiter()
        let passed = (0..<1000).count { limiter.pass("\($0)") != nil }
        #expect(passed == LogRateLimiter.kindLimit)
        #expect(limiter.pass("0") == nil)
    }

    @Test("the limiter takes other kinds when the period of the first is over")
    func free() {
        let clock = TestInstant()
        let limiter = LogRateLimiter(period: .seconds(10), now: { clock.now })
        for number in 0..<1000 { _ = limiter.pass("\(number)") }
        #expect(limiter.pass("new") == nil)
        clock.advance(.seconds(10))
        #expect(limiter.pass("new") == 0)
    }

    @Test("the limiter lets one line of each source through in a period, of twenty sources at most, and counts the rest")
    func sources() {
        let clock = TestInstant()
        let limiter = LogRateLimiter(now: { clock.now })
        func take(_ source: PeerIdentity) -> UInt64? { limiter.pass("kind", from: source) }
        #expect(take(.user(0)) == 0)
        for _ in 0..<5 { #expect(take(.user(0)) == nil) }
        #expect(take(.user(1)) == 5, "the line of the second source says what was held back")
        let named = (2..<100).count { take(.user($0)) != nil }
        #expect(named == 18)
        clock.advance(.seconds(11))
        #expect(take(.user(0)) == 80)
    }

    @Test("the limiter can let several lines of one source through, and keeps kinds apart")
    func severalLines() {
        let limiter = LogRateLimiter(linesOfOneSource: 3)
        #expect((0..<10).count { _ in limiter.pass("a") != nil } == 3)
        #expect((0..<10).count { _ in limiter.pass("b") != nil } == 3)
        let unlimited = LogRateLimiter(linesOfOneSource: .max)
        #expect((0..<100).count { _ in unlimited.pass("a") != nil } == LogRateLimiter.lineLimit)
    }
}
