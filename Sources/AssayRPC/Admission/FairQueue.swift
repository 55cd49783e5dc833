/// A queue whose elements have owners that take turns, each owner's elements in their order. A turn is as many elements as cost no more
/// than the quantum together, and at least one: owners of cheap elements are not held up by those of expensive ones. Adding and taking
/// have a constant cost on average, however many elements wait.
package struct FairQueue<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let element: Element
        let cost: Int
    }

    private struct Line: Sendable {
        var entries = FIFO<Entry>()
        var cost = 0
    }

    /// The cost of one turn.
    private let quantum: Int
    /// The waiting elements of each owner. An owner without one has no entry.
    private var waiting: [Owner: Line] = [:]
    /// Each owner with a waiting element, once, but the one whose turn it is; the next one first.
    private var turns = FIFO<Owner>()
    /// The owner whose turn goes on, and what is left of its turn.
    private var current: (owner: Owner, left: Int)?
    /// The cost of all waiting elements.
    private(set) var cost = 0

    /// - Parameter quantum: at least 1. With 1, and elements without a cost of their own, a turn is one element.
    package init(quantum: Int = 1) { self.quantum = max(1, quantum) }

    package var isEmpty: Bool { waiting.isEmpty }

    /// - Parameter cost: at least 1.
    package mutating func append(_ element: Element, of owner: Owner, cost: Int = 1) {
        let entry = Entry(element: element, cost: max(1, cost))
        self.cost += entry.cost
        guard let index = waiting.index(forKey: owner) else {
            var line = Line(cost: entry.cost)
            line.entries.append(entry)
            waiting[owner] = line
            return turns.append(owner)
        }
        waiting.values[index].entries.append(entry)
        waiting.values[index].cost += entry.cost
    }

    package mutating func popFirst() -> Element? { popNext()?.element }

    /// The next element with its cost.
    mutating func popNext() -> (element: Element, cost: Int)? {
        guard let owner = current?.owner ?? turns.popFirst(), let index = waiting.index(forKey: owner),
            let entry = waiting.values[index].entries.popFirst()
        else { return nil }
        let left = (current?.left ?? quantum) - entry.cost
        cost -= entry.cost
        waiting.values[index].cost -= entry.cost
        if let next = waiting.values[index].entries.first {
            if next.cost <= left {
                current = (owner, left)
            } else {
                current = nil
                turns.append(owner)
            }
        } else {
            current = nil
            waiting.remove(at: index)
        }
        return (entry.element, entry.cost)
    }

    /// The most that is taken before a further element of this owner has been taken, itself included, if nothing else is added.
    func costUntilTaken(of owner: Owner, cost: Int) -> Int {
        let own = (waiting[owner]?.cost ?? 0) + cost
        let others = self.cost - own + cost
        // Elements that do not fit into the rest of a turn begin another one: turns are at least half full on average.
        let rest = current.flatMap { $0.owner == owner ? $0.left : nil } ?? quantum
        let turns = own > rest ? 2 * (own / quantum + 1) : 1
        let owners = waiting.count - (waiting[owner] == nil ? 0 : 1)
        let (bound, overflow) = (turns * quantum).multipliedReportingOverflow(by: owners)
        return own + (overflow ? others : min(others, bound))
    }
}

/// First in, first out, as two stacks: an element moves once from the one to the other. Both keep their storage.
private struct FIFO<Element: Sendable>: Sendable {
    private var added: [Element] = []
    /// The oldest element last.
    private var next: [Element] = []

    var first: Element? { next.last ?? added.first }

    mutating func append(_ element: Element) { added.append(element) }

    mutating func popFirst() -> Element? {
        if next.isEmpty {
            swap(&added, &next)
            next.reverse()
        }
        return next.popLast()
    }
}
