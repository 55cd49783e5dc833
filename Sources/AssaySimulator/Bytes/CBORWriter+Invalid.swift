public import AssayEncoding

/// The writer of CBOR, under the simulator's name too.
public typealias CBORWriter = AssayEncoding.CBORWriter

/// Encodings that a strict reader refuses: long heads and indefinite lengths.
extension CBORWriter {
    /// The number of bytes of an item's argument after its first byte.
    public enum Width: Int, CaseIterable, Sendable {
        case shortest = -1
        case one = 1
        case two = 2
        case four = 4
        case eight = 8
    }

    /// The head of an item: major type 0 to 7 and its argument, cut to the width.
    public static func head(_ major: UInt8, _ argument: UInt64, width: Width) -> [UInt8] {
        let information: UInt8
        switch width {
        case .shortest: return head(major, argument)
        case .one: information = 24
        case .two: information = 25
        case .four: information = 26
        case .eight: information = 27
        }
        let octets = (0..<width.rawValue).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * UInt64($0))) }
        return [major << 5 | information] + octets
    }

    public static func integer(_ value: Int64, width: Width) -> [UInt8] {
        value < 0 ? head(1, UInt64(bitPattern: -1 - value), width: width) : head(0, UInt64(value), width: width)
    }

    public static func bytes(_ bytes: [UInt8], width: Width) -> [UInt8] {
        head(2, UInt64(bytes.count), width: width) + bytes
    }

    public static func text(_ text: String, width: Width) -> [UInt8] {
        head(3, UInt64(text.utf8.count), width: width) + Array(text.utf8)
    }

    public static func array(_ items: [[UInt8]], width: Width) -> [UInt8] {
        head(4, UInt64(items.count), width: width) + items.joined()
    }

    /// A byte string in chunks, of indefinite length.
    public static func indefiniteBytes(_ chunks: [[UInt8]]) -> [UInt8] { [0x5F] + chunks.flatMap { bytes($0) } + [0xFF] }

    public static func indefiniteArray(_ items: [[UInt8]]) -> [UInt8] { [0x9F] + items.joined() + [0xFF] }
}
