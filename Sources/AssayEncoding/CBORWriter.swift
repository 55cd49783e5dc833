/// Writes CBOR (RFC 8949) with core deterministic encoding (§4.2.1): definite lengths, heads in their shortest form, keys in order. Floats are not written.
///
/// Items are bytes, and arrays and maps join them. It shares no code with ``CBORReader``, so that tests which read what it writes
/// compare two understandings of RFC 8949.
public enum CBORWriter {
    /// The head of an item in its shortest form: the major type, 0 to 7, and its argument.
    public static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = major << 5
        switch argument {
        case 0..<24: return [type | UInt8(argument)]
        case ...0xFF: return [type | 24, UInt8(argument)]
        case ...0xFFFF: return [type | 25] + bigEndian(argument, 2)
        case ...0xFFFF_FFFF: return [type | 26] + bigEndian(argument, 4)
        default: return [type | 27] + bigEndian(argument, 8)
        }
    }

    public static func integer(_ value: Int64) -> [UInt8] {
        value < 0 ? head(1, UInt64(bitPattern: -1 - value)) : head(0, UInt64(value))
    }

    public static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, UInt64(bytes.count)) + bytes }

    public static func text(_ text: String) -> [UInt8] { head(3, UInt64(text.utf8.count)) + Array(text.utf8) }

    public static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, UInt64(items.count)) + items.concatenated }

    /// A map with its entries in the order of the encoded keys. Keys that occur twice are written twice, and readers refuse the map
    /// (RFC 8949 §5.6).
    public static func map(_ entries: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        let ordered = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return head(5, UInt64(entries.count)) + ordered.map { $0.key + $0.value }.concatenated
    }

    public static func tagged(_ tag: UInt64, _ item: [UInt8]) -> [UInt8] { head(6, tag) + item }

    public static func boolean(_ value: Bool) -> [UInt8] { [value ? 0xF5 : 0xF4] }

    public static let null: [UInt8] = [0xF6]

    private static func bigEndian(_ value: UInt64, _ count: UInt64) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
