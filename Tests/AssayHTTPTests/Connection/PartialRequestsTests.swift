import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Requests of which a part is kept")
struct PartialRequestsTests {
    private let partial = PartialRequests()

    private func exchange(_ number: UInt32) -> Exchange {
        Exchange(number, at: .uptimeNanoseconds(UInt64(number)), in: partial)
    }

    @Test("the bytes of all are counted, and a request that is answered keeps none")
    func bytes() {
        let (first, second) = (exchange(1), exchange(2))
        first.heldBytes = 10
        second.heldBytes = 5
        first.heldBytes = 30
        #expect(partial.bytes == 35)
        first.state = .answered
        #expect(partial.bytes == 5 && first.heldBytes == 0)
        second.state = .waiting
        #expect(partial.bytes == 0 && partial.since == nil)
    }

    @Test("the oldest is the one that has been kept for the longest time, also when others leave")
    func order() {
        let exchanges = (1...4).map { exchange($0) }
        for exchange in exchanges { exchange.heldBytes = 1 }
        exchanges[1].heldBytes = 0
        #expect(partial.since == .uptimeNanoseconds(1))
        exchanges[0].heldBytes = 0
        #expect(partial.since == .uptimeNanoseconds(3))
        exchanges[3].heldBytes = 0
        #expect(partial.since == .uptimeNanoseconds(3))
        // One that comes again is the last.
        exchanges[0].heldBytes = 7
        exchanges[2].heldBytes = 0
        #expect(partial.since == .uptimeNanoseconds(1) && partial.bytes == 7)
    }

    @Test("after any changes bytes and order are those of a list that is looked through")
    func model() {
        var random = SystemRandomNumberGenerator()
        let exchanges = (0..<20).map { exchange(UInt32($0)) }
        var kept: [(number: Int, bytes: Int)] = []
        for _ in 0..<5_000 {
            let (number, bytes) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0..<3, using: &random))
            exchanges[number].heldBytes = bytes
            if let position = kept.firstIndex(where: { $0.number == number }) {
                if bytes == 0 { kept.remove(at: position) } else { kept[position].bytes = bytes }
            } else if bytes > 0 {
                kept.append((number, bytes))
            }
            #expect(partial.bytes == kept.reduce(0) { $0 + $1.bytes })
            #expect(partial.since == kept.first.map { .uptimeNanoseconds(UInt64($0.number)) })
        }
    }
}
