import AssayRPC
import Testing

@Suite("Fair queue")
struct FairQueueTests {
    @Test("owners take turns, and each owner's elements keep their order")
    func turns() {
        var queue = FairQueue<String, String>()
        for element in ["a1", "a2", "a3", "a4", "b1", "c1", "c2"] { queue.append(element, of: String(element.prefix(1))) }
        #expect(drain(&queue) == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"])
        #expect(queue.isEmpty)
    }

    @Test("a new owner waits for at most one element of each other owner, however many wait")
    func newOwner() {
        var queue = FairQueue<String, String>()
        for number in 0..<5000 { queue.append("a\(number)", of: "a") }
        for number in 0..<5000 { queue.append("b\(number)", of: "b") }
        #expect(queue.popFirst() == "a0")
        queue.append("honest", of: "c")
        #expect((0..<3).map { _ in queue.popFirst() } == ["b0", "a1", "honest"])
        // An owner that appends again waits for a turn again.
        queue.append("again", of: "c")
        #expect((0..<3).map { _ in queue.popFirst() } == ["b1", "a2", "again"])
    }

    @Test("the queue is empty after as many elements as were added, and keeps nothing of their owners")
    func empty() {
        var queue = FairQueue<Int, Int>()
        for _ in 0..<3 {
            for number in 0..<100 { queue.append(number, of: number % 7) }
            #expect(drain(&queue).sorted() == Array(0..<100))
            #expect(queue.isEmpty && queue.popFirst() == nil)
        }
    }

    private func drain<Owner, Element>(_ queue: inout FairQueue<Owner, Element>) -> [Element] {
        var all: [Element] = []
        while let next = queue.popFirst() { all.append(next) }
        return all
    }
}
