/// Evidence of several parts is one body: for each part u32 length (big-endian) and its bytes.
extension Evidence {
    /// The most parts in a body. The longest chain that is read has 8.
    public static let partLimit = 16

    public static func join(_ parts: some Sequence<some Collection<UInt8>>) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body.append(contentsOf: Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) { Array($0) })
            body.append(contentsOf: part)
        }
        return body
    }

    /// The parts of the body, each a slice of it; `nil` if `join` did not make the body, or it has more than `partLimit` parts.
    public var parts: [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var rest = body[...]
        while !rest.isEmpty {
            guard rest.count >= 4, parts.count < Self.partLimit else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts
    }
}
