/// The encoding of a list of byte strings in one column: each behind its length as a big-endian u32.
package enum ByteStrings {
    package static func encode(_ strings: [[UInt8]]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(strings.reduce(0) { $0 + 4 + $1.count })
        for string in strings {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: string.count).bigEndian) { out.append(contentsOf: $0) }
            out += string
        }
        return out
    }

    /// `nil` if the bytes are not an encoding by `encode`.
    package static func decode(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        var strings: [[UInt8]] = []
        while !rest.isEmpty {
            let head = rest.prefix(4)
            rest = rest.dropFirst(4)
            let length = head.reduce(0) { $0 << 8 | Int($1) }
            guard head.count == 4, length <= rest.count else { return nil }
            strings.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return strings
    }
}
