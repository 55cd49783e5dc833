/// A queue whose elements have owners that take turns: one element a turn, each owner's elements in their order. Adding and taking
/// have a constant cost on average, however many elements wait.
package struct FairQueue<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The waiting elements of each owner. An owner without one has no entry.
    private var waiting: [Owner: FIFO<Element>] = [:]
    /// Each owner with a waiting element, once; the next one first.
    private var turns = FIFO<Owner>()

    package init() {}

    package var isEmpty: Bool { turns.isEmpty }

    package mutating func append(_ element: Element, of owner: Owner) {
        guard let index = waiting.index(forKey: owner) else {
            var elements = FIFO<Element>()
            elements.append(element)
            waiting[owner] = elements
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

/// First in, first out, as two stacks: an element moves once from the one to the other. Both keep their storage.
private struct FIFO<Element: Sendable>: Sendable {
    private var added: [Element] = []
    /// The oldest element last.
    private var next: [Element] = []

    var isEmpty: Bool { added.isEmpty && next.isEmpty }

    mutating func append(_ element: Element) { added.append(element) }

    mutating func popFirst() -> Element? {
        if next.isEmpty {
            swap(&added, &next)
            next.reverse()
        }
        return next.popLast()
    }
}
