/// Changes to one part, in the order of their addition.
struct EditList<Part>: Sendable {
    private var changes: [@Sendable (inout Part) -> Void] = []

    mutating func add(_ change: @escaping @Sendable (inout Part) -> Void) { changes.append(change) }

    func callAsFunction(_ part: inout Part) {
        for change in changes { change(&part) }
    }
}
