import NIOCore

/// A queue whose elements have owners that take turns: each in its order, one element a turn. Adding and taking cost the same
/// however many wait.
package struct FairQueue<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    /// What waits, by owner; no owner has nothing.
    private var waiting: [Owner: CircularBuffer<Element>] = [:]
    /// Each owner with something that waits, once; the next one first.
    private var turns = CircularBuffer<Owner>()

    package init() {}

    package var isEmpty: Bool { turns.isEmpty }

    package mutating func append(_ element: Element, of owner: Owner) {
        guard let index = waiting.index(forKey: owner) else {
            waiting[owner] = [element]
            return turns.append(owner)
        }
        waiting.values[index].append(element)
    }

    package mutating func popFirst() -> Element? {
        guard let owner = turns.popFirst(), let index = waiting.index(forKey: owner) else { return nil }
        let element = waiting.values[index].popFirst()
        if waiting.values[index].isEmpty { waiting.remove(at: index) } else { turns.append(owner) }
        return element
    }
}
