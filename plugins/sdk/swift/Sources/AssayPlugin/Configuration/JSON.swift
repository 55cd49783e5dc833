/// A JSON value (RFC 8259), read strictly: one value and nothing behind it, UTF-8, no member twice, bounded depth and count.
///
/// Text is compared by `spells(_:)` and found by `subscript`, byte by byte: `==` of `String` takes other characters for the same.
public enum JSON: Sendable {
    case null
    case boolean(Bool)
    /// As it was written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Sendable {
        public let name: String
        public let value: JSON
    }

    /// Why bytes are no JSON.
    public struct Failure: Error, Sendable {
        /// Where, in bytes from the beginning.
        public let offset: Int
        /// A phrase: what was expected.
        public let reason: String
    }

    /// Reads the whole of `bytes`: at most `depth` arrays and objects within each other, which is never more than 256, and `count`
    /// values in all.
    public init(parsing bytes: [UInt8], depth: Int = 32, count: Int = 65_536) throws(Failure) {
        var parser = JSONParser(bytes, depth: min(depth, 256), count: count)
        self = try parser.parseDocument()
    }

    /// The member of an object; `nil` for a missing one, and for what is no object.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasBytes(of: name) }?.value
    }

    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    public var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    public var boolean: Bool? {
        if case .boolean(let boolean) = self { boolean } else { nil }
    }

    /// A number that is written without fraction and exponent, and fits.
    public var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// Whether it is a string of exactly these bytes.
    public func spells(_ word: String) -> Bool {
        text?.hasBytes(of: word) ?? false
    }

    /// For sentences: `a string`.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension String {
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
