/// Evidence that comes in several pieces is one body: for each piece u32 length (big-endian) and its bytes.
extension Evidence {
    /// The most pieces that a body is taken apart into. The longest chain that is read has 8.
    public static let partLimit = 16

    public static func join(_ parts: some Sequence<some Collection<UInt8>>) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body.append(contentsOf: Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) { Array($0) })
            body.append(contentsOf: part)
        }
        return body
    }

    /// The pieces of the body, each a slice of it; `nil` if the body is not what `join` makes, or has more than `partLimit`.
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
