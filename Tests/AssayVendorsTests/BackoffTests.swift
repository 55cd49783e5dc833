import AssayTesting
import Testing

@testable import AssayVendors

@Suite("Back-off")
struct BackoffTests {
    private let backoff = Backoff(first: 1000, cap: 60_000)

    @Test(
        "Waits double up to the cap, each shortened by half at most",
        arguments: [
            (0, 1000), (1, 1000), (2, 2000), (3, 4000), (6, 32_000), (7, 60_000), (64, 60_000), (Int.max, 60_000),
            (Int.min, 1000),
        ] as [(Int, Int64)])
    func doubles(_ failures: Int, longest: Int64) {
        var random = SeededNumbers(seed: 7)
        let waits = (0..<200).map { _ in backoff.wait(after: failures, using: &random) }
        #expect(waits.allSatisfy { (longest / 2...longest).contains($0) })
        #expect(Set(waits).count > 100, "the waits are not spread")
    }

    @Test("A wait is at least what the service asks for, up to the cap")
    func asked() {
        var random = SeededNumbers(seed: 7)
        #expect(backoff.wait(after: 1, asked: 30_000, using: &random) == 30_000)
        #expect(backoff.wait(after: 1, asked: .max, using: &random) == 60_000)
        #expect((500...1000).contains(backoff.wait(after: 1, asked: 0, using: &random)))
    }

    @Test("Waits work for the shortest and the longest durations")
    func ends() {
        var random = SeededNumbers(seed: 7)
        #expect(Backoff(first: 0, cap: 0).wait(after: 9, using: &random) == 1)
        #expect(Backoff(first: .max / 2, cap: .max).wait(after: 2, using: &random) >= .max / 2)
    }
}
