import Testing

@testable import AssayPhone

@Suite("Pauses")
struct BackoffTests {
    @Test("a backoff of five tries pauses 1, 2, 4 and 8 seconds, and no more")
    func doubled() {
        let pauses = (1...5).map { Backoff().pause(afterTry: $0, askedFor: nil, chance: 0.5) }
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), nil])
    }
}
