import Synchronization
import Testing

@testable import AssayRPC

@Suite("Call queue")
struct CallQueueTests {
    private let callers = CallerRegister()

    @Test("the queue starts as many tasks as it has slots, and one more for each that begins, callers in turn")
    func places() {
        let (queue, started) = (CallQueue(slots: 2), Notes())
        let (flood, honest) = (callers.usage(of: .caller("flood")), callers.usage(of: .caller("honest")))
        for number in 0..<4 { queue.add(of: flood) { started.note("flood \(number)") } }
        #expect(started.all == ["flood 0", "flood 1"])
        #expect(!queue.enter(), "a new task does not overtake the waiting ones")
        queue.add(of: honest) { started.note("honest") }
        queue.begun()
        queue.begun()
        #expect(started.all == ["flood 0", "flood 1", "flood 2", "honest"])
        for _ in 0..<3 { queue.begun() }
        #expect(started.all.count == 5)
        // All tasks have begun: both slots are free again, and no more.
        #expect(queue.enter() && queue.enter() && !queue.enter())
    }

    @Test("a chunk has at most 32 calls, and fewer if they are long")
    func chunks() {
        func sizes(_ lengths: [Int]) -> [Int] {
            let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
            var rest = lengths.map { length in
                RPCCall(method: "/m", message: [UInt8](repeating: 0, count: length), peer: peer) { _ in }
            }[...]
            var sizes: [Int] = []
            while !rest.isEmpty {
                sizes.append(CallChunks.next(of: rest, size: CallChunks.largest))
                rest = rest.dropFirst(sizes.last ?? 0)
            }
            return sizes
        }
        #expect(sizes(Array(repeating: 500, count: 70)) == [32, 32, 6])
        #expect(sizes(Array(repeating: 5000, count: 8)) == [6, 2])
        #expect(sizes([100_000, 10, 100_000, 100_000]) == [1, 1, 1, 1])
        #expect(sizes([]) == [])
    }
}

private final class Notes: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func note(_ note: String) { state.withLock { $0.append(note) } }
}
