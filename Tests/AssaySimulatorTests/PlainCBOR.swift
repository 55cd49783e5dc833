import Testing

/// A CBOR item, read by code that is independent of the writer.
indirect enum PlainCBOR: Equatable, Sendable {
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([PlainCBOR])
    case map([Entry])

    struct Entry: Equatable, Sendable {
        let key: PlainCBOR
        let value: PlainCBOR
    }

    /// The whole of `bytes` as one item, definite lengths only.
    static func read(_ bytes: [UInt8]) throws -> PlainCBOR {
        var rest = bytes[...]
        let item = try read(&rest)
        try #require(rest.isEmpty, "\(rest.count) bytes left over")
        return item
    }

    private static func read(_ rest: inout ArraySlice<UInt8>) throws -> PlainCBOR {
        let first = try #require(rest.first)
        rest = rest.dropFirst()
        var argument = UInt64(first & 31)
        if argument >= 24 {
            try #require(argument <= 27, "not of definite length")
            let width = 1 << (argument - 24)
            argument = rest.prefix(Int(width)).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(Int(width))
        }
        switch first >> 5 {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2, 3:
            try #require(argument <= UInt64(rest.count), "cut off")
            let content = Array(rest.prefix(Int(argument)))
            rest = rest.dropFirst(Int(argument))
            return first >> 5 == 2 ? .bytes(content) : .text(String(decoding: content, as: UTF8.self))
        case 4: return .array(try (0..<argument).map { _ in try read(&rest) })
        case 5: return .map(try (0..<argument).map { _ in Entry(key: try read(&rest), value: try read(&rest)) })
        default:
            Issue.record("major type \(first >> 5)")
            return .bytes([])
        }
    }

    var keys: [PlainCBOR] { if case .map(let entries) = self { entries.map(\.key) } else { [] } }

    subscript(key: String) -> PlainCBOR? {
        if case .map(let entries) = self { entries.first { $0.key == .text(key) }?.value } else { nil }
    }

    var bytesValue: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var arrayValue: [PlainCBOR]? { if case .array(let items) = self { items } else { nil } }
}
