/// An OBJECT IDENTIFIER by its content octets (X.690 §8.19), compared as bytes.
package struct OID: Hashable, Sendable {
    /// The longest content that is read, in octets. The longest in use here has 10.
    package static let limit = 64

    package let content: ArraySlice<UInt8>

    package static func == (a: OID, b: OID) -> Bool { a.content.equals(b.content) }

    package func hash(into hasher: inout Hasher) { content.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// `nil` unless the octets are arcs in their shortest form.
    package init?(content: ArraySlice<UInt8>) {
        guard let last = content.last, last & 0x80 == 0, content.count <= Self.limit else { return nil }
        var startsArc = true
        for octet in content {
            if startsArc, octet == 0x80 { return nil }
            startsArc = octet & 0x80 == 0
        }
        self.content = content
    }

    /// From arcs. The first two are 0 to 2 and below 40.
    package init(_ first: UInt64, _ second: UInt64, _ rest: UInt64...) {
        var content: [UInt8] = []
        for arc in [first * 40 + second] + rest {
            var groups = [UInt8(truncatingIfNeeded: arc & 0x7F)]
            var left = arc >> 7
            while left > 0 {
                groups.append(UInt8(truncatingIfNeeded: left & 0x7F) | 0x80)
                left >>= 7
            }
            content += groups.reversed()
        }
        self.content = content[...]
    }
}

extension OID {
    /// From arcs of 128 bits, as X.667 has them; `nil` for arcs that none has, and for more than 64 octets.
    package init?(arcs: [UInt128]) {
        guard let content = DERWriter.objectIdentifierContent(arcs) else { return nil }
        self.init(content: content[...])
    }

    /// From dotted decimal, such as `1.3.6.1`; `nil` for other text.
    package init?(dotted text: String) {
        // Behind identifier and length, of which there is one octet up to the limit.
        self.init(content: DERWriter.objectIdentifier(text).dropFirst(2))
    }
}

extension OID: CustomStringConvertible {
    /// Dotted decimal; arcs beyond 128 bits are written as `?`.
    package var description: String {
        var arcs: [String] = []
        var arc: UInt128? = 0
        for octet in content {
            arc = arc.flatMap { $0 >> 121 == 0 ? $0 << 7 | UInt128(octet & 0x7F) : nil }
            guard octet & 0x80 == 0 else { continue }
            if arcs.isEmpty, let value = arc {
                let first = min(value / 40, 2)
                arcs += [String(first), String(value - first * 40)]
            } else {
                arcs.append(arc.map(String.init) ?? "?")
            }
            arc = 0
        }
        return arcs.joined(separator: ".")
    }
}
