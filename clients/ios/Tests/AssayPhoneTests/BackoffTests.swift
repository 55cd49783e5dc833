import Testing

@testable import AssayPhone

@Suite("Pauses")
struct BackoffTests {
    private func pauses(_ backoff: Backoff, after: Duration? = nil, chance: Double = 0.5, tries: Int = 5) -> [Duration?] {
        (1...tries).map { backoff.pause(afterTry: $0, askedFor: after, chance: chance) }
    }

    @Test("five tries have pauses of 1, 2, 4 and 8 seconds between them")
    func doubled() {
        #expect(pauses(Backoff()) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), nil])
    }

    @Test("chance makes a pause up to a fifth shorter or longer")
    func spread() throws {
        let shortest = try #require(Backoff().pause(afterTry: 1, askedFor: nil, chance: 0))
        let longest = try #require(Backoff().pause(afterTry: 1, askedFor: nil, chance: 1))
        #expect(abs(shortest / .seconds(1) - 0.8) < 1e-9)
        #expect(abs(longest / .seconds(1) - 1.2) < 1e-9)
    }

    @Test("no planned pause is longer than 30 seconds, also after very many tries")
    func longest() {
        let backoff = Backoff(tries: Int.max)
        #expect(backoff.pause(afterTry: 6, askedFor: nil, chance: 0.5) == .seconds(30))
        #expect(backoff.pause(afterTry: 1_000_000, askedFor: nil, chance: 0.5) == .seconds(30))
    }

    @Test("a pause is never shorter than Retry-After, and up to a fifth longer")
    func askedFor() throws {
        let pauses = pauses(Backoff(), after: .seconds(5), chance: 0).map { pause in
            pause.map { ($0 / .milliseconds(1)).rounded() }
        }
        #expect(pauses == [5000, 5000, 5000, 6400, nil])
        let longest = try #require(Backoff().pause(afterTry: 1, askedFor: .seconds(5), chance: 1))
        #expect(abs(longest / .seconds(1) - 6) < 1e-9)
    }

    @Test("a Retry-After beyond the longest pause ends the call")
    func tooLong() {
        #expect(Backoff().pause(afterTry: 1, askedFor: .seconds(30), chance: 0) == .seconds(30))
        #expect(Backoff().pause(afterTry: 1, askedFor: .seconds(31), chance: 0) == nil)
    }
}
