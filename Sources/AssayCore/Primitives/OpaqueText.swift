/// Text from outside: equal to another only byte for byte.
///
/// `String` compares by Unicode equivalence: "é" in one scalar equals "e" with an accent behind it, and the Kelvin sign equals
/// "K". Other programs compare bytes, so that two texts which they tell apart would be one to us. Sets and dictionaries of what
/// evidence is held against have this type; `dev/check-text.sh` keeps plain texts out of comparisons where evidence is read.
package struct OpaqueText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: Self, b: Self) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package static func < (a: Self, b: Self) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8: keeps neighbours apart.
        hasher.combine(0xFF as UInt8)
    }
}

extension OpaqueText: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: String) { self.init(text) }
    package var description: String { text }
}

extension StringProtocol {
    /// Whether two texts have the same UTF-8.
    package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension RawRepresentable where RawValue == String {
    /// The case that a text from outside names, byte for byte. `init(rawValue:)` finds it by Unicode equivalence.
    package init?(bytesOf text: String) {
        guard let value = Self(rawValue: text), value.rawValue.hasBytes(of: text) else { return nil }
        self = value
    }
}
