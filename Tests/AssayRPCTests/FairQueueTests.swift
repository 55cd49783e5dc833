import AssayTesting
import Testing

@testable import AssayRPC

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

    @Test("a turn has elements of one quantum: the owner of cheap ones gets as much work done as that of expensive ones")
    func costs() {
        var queue = FairQueue<String, String>(quantum: 10)
        for number in 0..<4 { queue.append("a\(number)", of: "a", cost: 9) }
        for number in 0..<6 { queue.append("b\(number)", of: "b", cost: 3) }
        queue.append("c0", of: "c", cost: 25)
        queue.append("c1", of: "c", cost: 1)
        #expect(
            drain(&queue) == ["a0", "b0", "b1", "b2", "c0", "a1", "b3", "b4", "b5", "c1", "a2", "a3"],
            "an element that costs more than a turn has a turn of its own")
    }

    @Test(
        "the cost until an element is taken is never below what is taken before it, and counts one turn of each other owner for one of its own"
    )
    func costUntilTaken() {
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<300 {
            var queue = FairQueue<Int, Int>(quantum: 10)
            var costs: [Int: Int] = [:]
            for number in 0..<Int.random(in: 0..<60, using: &numbers) {
                let cost = Int.random(in: 1...10, using: &numbers)
                costs[number] = cost
                queue.append(number, of: Int.random(in: 0..<5, using: &numbers), cost: cost)
            }
            let own = Int.random(in: 1...10, using: &numbers)
            let bound = queue.costUntilTaken(of: 0, cost: own)
            queue.append(-1, of: 0, cost: own)
            var taken = 0
            while let next = queue.popFirst() {
                taken += costs[next] ?? own
                if next == -1 { break }
            }
            #expect(taken <= bound)
        }
        var flooded = FairQueue<String, Int>(quantum: 10)
        for number in 0..<1000 { flooded.append(number, of: "flood", cost: 10) }
        #expect(flooded.costUntilTaken(of: "honest", cost: 3) == 13)
        #expect(flooded.costUntilTaken(of: "flood", cost: 10) == 10_010)
    }

    private func drain<Owner, Element>(_ queue: inout FairQueue<Owner, Element>) -> [Element] {
        var all: [Element] = []
        while let next = queue.popFirst() { all.append(next) }
        return all
    }
}
