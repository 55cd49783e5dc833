import AssayCore
import AssayTesting
import Testing

@testable import AssayVendors

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private static let now = Timestamp(unixSeconds: 1_750_000_000)
    private var random = SeededNumbers(seed: 3)

    private mutating func broken(_ failures: Int) -> CircuitBreaker {
        var breaker = CircuitBreaker(Backoff(first: 1000, cap: 8000))
        for _ in 0..<failures { breaker.failed(at: Self.now, using: &random) }
        return breaker
    }

    @Test("Requests are admitted until failures exceed chance, then none, then one attempt")
    mutating func opens() {
        #expect(broken(CircuitBreaker.patience - 1).admits(at: Self.now) == .max)
        let breaker = broken(CircuitBreaker.patience)
        #expect(breaker.admits(at: Self.now.adding(milliseconds: 499)) == 0)
        #expect(breaker.admits(at: Self.now.adding(milliseconds: 1000)) == 1)
    }

    @Test("Waits grow up to the cap, and are at least what the service asks for")
    mutating func waits() {
        #expect(broken(20).admits(at: Self.now.adding(milliseconds: 3999)) == 0)
        #expect(broken(20).admits(at: Self.now.adding(milliseconds: 8000)) == 1)
        var breaker = broken(CircuitBreaker.patience)
        breaker.failed(at: Self.now, asked: 7000, using: &random)
        #expect(breaker.admits(at: Self.now.adding(milliseconds: 6999)) == 0)
    }

    @Test("Failures of requests in flight at the time of opening do not lengthen the wait")
    mutating func manyAtOnce() {
        var breaker = CircuitBreaker(Backoff(first: 1000, cap: 8000))
        let failedAt = Self.now.adding(milliseconds: 200)
        for _ in 0..<50 { breaker.failed(at: failedAt, begun: Self.now, using: &random) }
        let later = failedAt.adding(milliseconds: 1000)
        #expect(breaker.admits(at: later) == 1)
        // A later attempt counts.
        breaker.failed(at: later, begun: later, using: &random)
        #expect(breaker.admits(at: later) == 0)
        #expect(breaker.admits(at: later.adding(milliseconds: 999)) == 0)
        #expect(breaker.admits(at: later.adding(milliseconds: 2000)) == 1)
    }

    @Test("A clock that goes back does not lengthen the wait beyond the cap")
    mutating func clockStep() {
        let breaker = broken(CircuitBreaker.patience)
        #expect(breaker.admits(at: Self.now) == 0)
        #expect(breaker.admits(at: Self.now.adding(milliseconds: -8001)) == 1)
    }

    @Test("One of many requests is admitted as an attempt, and all after its success")
    mutating func tries() {
        var breaker = broken(CircuitBreaker.patience)
        let later = Self.now.adding(milliseconds: 1000)
        let admitted = (0..<10).map { _ in breaker.admitsOne(at: later, using: &random) }
        #expect(admitted == [true] + [Bool](repeating: false, count: 9))
        breaker.succeeded()
        #expect(breaker.admitsOne(at: later, using: &random))
        #expect(breaker.admits(at: later) == .max)
    }
}
