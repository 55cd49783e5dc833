/// The media types that a reader takes, and how much it wants each (RFC 9110 §12.5.1).
package struct AcceptedTypes: Sendable {
    private struct Range {
        /// In lower case, without parameters: `application/json`, `application/*`, `*/*`.
        let type: String
        /// In thousandths; 0: not taken.
        let weight: Int
    }

    private let ranges: [Range]

    /// - Parameter field: `nil`, or without a range that can be read: the reader takes all types.
    package init(_ field: String?) { ranges = (field ?? "").split(separator: ",").compactMap(Self.range) }

    private static func range(_ item: Substring) -> Range? {
        var parts = item.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        let type = parts.removeFirst().lowercased()
        guard type.utf8.contains(UInt8(ascii: "/")) else { return nil }
        for part in parts where part.lowercased().hasPrefix("q=") {
            guard let weight = weight(part.dropFirst(2)) else { return nil }
            return Range(type: type, weight: weight)
        }
        return Range(type: type, weight: 1000)
    }

    /// `0` to `1`, with at most three decimals (§12.4.2).
    private static func weight(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole), parts[0].utf8.count == 1 else {
            return nil
        }
        guard parts.count == 2 else { return whole * 1000 }
        let decimals = parts[1]
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let fraction = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        return whole * 1000 + fraction <= 1000 ? whole * 1000 + fraction : nil
    }

    /// How much a type is wanted, in thousandths, by the range that names it most exactly; 0: it is not taken.
    private func weight(of type: String) -> Int {
        guard !ranges.isEmpty else { return 1000 }
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type, String(family), "*/*"] {
            if let range = ranges.first(where: { $0.type.utf8.elementsEqual(name.utf8) }) { return range.weight }
        }
        return 0
    }

    /// The type that is wanted most, of equal ones the first; `nil`: none is taken.
    ///
    /// - Parameter types: in lower case, without parameters.
    package func best(of types: [String]) -> String? {
        var best: (type: String, weight: Int)?
        for type in types {
            let weight = weight(of: type)
            if weight > best?.weight ?? 0 { best = (type, weight) }
        }
        return best?.type
    }
}

extension Substring {
    /// Without the white space of HTTP at both ends.
    fileprivate var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
