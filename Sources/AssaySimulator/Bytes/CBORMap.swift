public import AssayEncoding

/// A CBOR map under construction: entries in writing order, duplicates allowed.
public struct CBORMap: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// An encoded item.
        public var key: [UInt8]
        /// An encoded item.
        public var value: [UInt8]
        public init(key: [UInt8], value: [UInt8]) { (self.key, self.value) = (key, value) }
    }

    public var entries: [Entry]
    /// True to write it with indefinite length.
    public var indefinite = false

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The encoded value of the first entry with a text key. Setting replaces it in place or appends; `nil` removes it.
    public subscript(key: String) -> [UInt8]? {
        get { entries.first { $0.key == CBORWriter.text(key) }?.value }
        set {
            let index = entries.firstIndex { $0.key == CBORWriter.text(key) }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds an entry, even if the key exists.
    public mutating func append(_ key: String, _ value: [UInt8]) {
        entries.append(Entry(key: CBORWriter.text(key), value: value))
    }

    public mutating func append(_ key: Int64, _ value: [UInt8]) {
        entries.append(Entry(key: CBORWriter.integer(key), value: value))
    }

    public var bytes: [UInt8] {
        let body = entries.map { $0.key + $0.value }.concatenated
        return indefinite ? [0xBF] + body + [0xFF] : CBORWriter.head(5, UInt64(entries.count)) + body
    }
}

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
        head(4, UInt64(items.count), width: width) + items.concatenated
    }

    /// A byte string in chunks, of indefinite length.
    public static func indefiniteBytes(_ chunks: [[UInt8]]) -> [UInt8] { [0x5F] + chunks.flatMap { bytes($0) } + [0xFF] }

    public static func indefiniteArray(_ items: [[UInt8]]) -> [UInt8] { [0x9F] + items.concatenated + [0xFF] }
}
