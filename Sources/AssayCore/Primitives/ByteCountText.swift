/// Numbers of bytes as the configuration writes them: a whole number, and a unit of powers of 1024 or none, `65536`, `64KiB`, `512MiB` or `1GiB`.
package enum ByteCountText {
    private static let units: [(name: String, factor: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// `nil` for a text of another form, and beyond 63 bits.
    package static func bytes(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        guard let count = Int(text.dropLast(unit?.name.count ?? 0)) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit?.factor ?? 1)
        return overflow ? nil : product
    }

    /// What is probably meant by a text of another form: `512MB`, `512 M`, `64kb`.
    package static func meant(by text: String) -> String? {
        let text = text.lowercased().filter { !$0.isWhitespace }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let letters = text.dropFirst(digits.count)
        let unit = units.first { unit in
            guard let letter = unit.name.first?.lowercased() else { return false }
            return [letter, letter + "b", letter + "ib"].contains { $0 == letters }
        }
        guard let unit, Int(digits) != nil else { return nil }
        return "\(digits)\(unit.name)"
    }

    /// Exactly, in the largest unit of which it is a whole number.
    package static func exact(_ bytes: Int) -> String {
        guard bytes != 0, let unit = units.last(where: { bytes % $0.factor == 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.factor)\(unit.name)"
    }
}
