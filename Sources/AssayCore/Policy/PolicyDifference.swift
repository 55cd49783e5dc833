/// What two policies state differently, line by line.
///
/// Lines are compared below each key, in any order: the text has an order of its own, so that only keys and values matter. Takes time in
/// proportion to the texts.
package struct PolicyDifference: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// The key, such as `apps` settings have it: `app_attest.counter`.
        package let key: String
        /// Values that only the first policy states.
        package let removed: [String]
        /// Values that only the second policy states.
        package let added: [String]
    }

    /// In the order of the first text, then what only the second one has. Empty for policies that state the same.
    package let lines: [Line]

    package init(_ old: String, _ new: String) {
        let (old, new) = (Values(old), Values(new))
        let keys = old.keys + new.keys.filter { old[$0] == nil }
        lines = keys.compactMap { key in
            let removed = Self.without(new[key] ?? [], in: old[key] ?? [])
            let added = Self.without(old[key] ?? [], in: new[key] ?? [])
            return removed.isEmpty && added.isEmpty ? nil : Line(key: key, removed: removed, added: added)
        }
    }

    /// The values that are left when each of `others` takes one away.
    private static func without(_ others: [String], in values: [String]) -> [String] {
        var counts: [OpaqueText: Int] = [:]
        for other in others { counts[OpaqueText(other), default: 0] += 1 }
        return values.filter { value in
            guard let count = counts[OpaqueText(value)], count > 0 else { return true }
            counts[OpaqueText(value)] = count - 1
            return false
        }
    }

    /// The values of each key, in the order of a text.
    private struct Values {
        private(set) var keys: [String] = []
        private var values: [OpaqueText: [String]] = [:]

        init(_ text: String) {
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let first = parts.first else { continue }
                let key = Self.trimmed(first)
                if values[OpaqueText(key)] == nil { keys.append(key) }
                values[OpaqueText(key), default: []].append(parts.dropFirst().first.map(Self.trimmed) ?? "")
            }
        }

        subscript(key: String) -> [String]? { values[OpaqueText(key)] }

        private static func trimmed(_ text: Substring) -> String {
            var text = text
            while text.first == " " { text.removeFirst() }
            while text.last == " " { text.removeLast() }
            return String(text)
        }
    }
}
