/// Text from outside, compared byte for byte.
///
/// `String` compares by Unicode equivalence: "é" in one scalar equals "e" followed by an accent, and the Kelvin sign equals
/// "K". Other programs compare bytes, and would distinguish texts that are equal here. Sets and dictionaries of expected values
/// have this type; `dev/check-text.sh` keeps plain texts out of comparisons where evidence is read.
package struct OpaqueText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: Self, b: Self) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package static func < (a: Self, b: Self) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Not a byte of UTF-8: separates adjacent texts.
        hasher.combine(0xFF as UInt8)
    }
}

extension OpaqueText: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: String) { self.init(text) }
    package var description: String { text }
}

// Inlinable, so that they are compiled for the types of other modules: each use of a registered device asks them.

extension StringProtocol {
    /// Whether two texts have the same UTF-8. Nearly every text has it in one piece, which is compared faster than by its view.
    @inlinable
    package func hasBytes(of other: some StringProtocol) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.count == $0.count && own.elementsEqual($0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension RawRepresentable where RawValue == String {
    /// The case whose raw value has the same bytes as a text from outside. `init(rawValue:)` compares by Unicode equivalence.
    @inlinable
    package init?(bytesOf text: String) {
        guard let value = Self(rawValue: text), value.rawValue.hasBytes(of: text) else { return nil }
        self = value
    }
}
