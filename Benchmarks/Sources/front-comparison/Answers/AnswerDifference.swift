/// Compares the trees of two answers.
struct AnswerDifference {
    /// How far times may be apart, in milliseconds: the daemons get a request one after the other.
    private static let patience: Int64 = 60_000

    /// Sizes of files.
    private static let ignored: Set<String> = ["state.bytes"]

    var drawn = DrawnValues()
    private(set) var found: [String] = []

    /// What differs between two answers, each with its place.
    mutating func between(_ one: AnswerTree, _ other: AnswerTree) -> [String] {
        found = []
        compare(one, other, at: "", name: "")
        return found
    }

    private mutating func compare(_ one: AnswerTree?, _ other: AnswerTree?, at place: String, name: String) {
        guard !Self.ignored.contains(place) else { return }
        switch (one, other) {
        case (.object(let ones), .object(let others)):
            for member in Set(ones.keys).union(others.keys).sorted() {
                compare(ones[member], others[member], at: place.isEmpty ? member : "\(place).\(member)", name: member)
            }
        case (.list(let ones), .list(let others)) where ones.count == others.count:
            for (index, (a, b)) in zip(ones, others).enumerated() { compare(a, b, at: "\(place)[\(index)]", name: name) }
        case (.leaf(let a), .leaf(let b)):
            guard !isEqual(a, b, name) else { return }
            note(one, other, at: place)
        default: note(one, other, at: place)
        }
    }

    private mutating func isEqual(_ one: String, _ other: String, _ name: String) -> Bool {
        if DrawnValues.names.contains(name) { return drawn.match(one, other) }
        if name.hasSuffix("UnixMs") || name == "retryAfterMs", let a = Int64(one), let b = Int64(other), a > 0, b > 0 {
            return abs(a - b) <= Self.patience
        }
        return one == other
    }

    private mutating func note(_ one: AnswerTree?, _ other: AnswerTree?, at place: String) {
        found.append("\(place): \(one?.description ?? "absent") and \(other?.description ?? "absent")")
    }
}
