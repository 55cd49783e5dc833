/// Strict JSON (RFC 8259): one value and nothing after it, UTF-8, no lone surrogates, and no duplicate names in an object,
/// since other parsers may choose the other one. Everything else throws with the structure's code.
///
/// A forward-only reader that cannot trap. The caller limits the document's length, which bounds the memory.
package struct JSONReader {
    /// The deepest nesting; client data has two or three levels, a verdict of Play Integrity four.
    package static let depthLimit = 32

    private var scanner: JSONScanner
    private let isLenient: Bool

    /// Reads exactly one value.
    package static func parse(_ document: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) -> JSONValue {
        try parse(document, code: code, isLenient: false)
    }

    /// Reads bytes that are exactly one value, and does not refuse the document for two oddities that leave its structure clear. For
    /// lists in which one odd entry must not make the others unreadable; everything else is read by `parse`.
    ///
    /// - A name may occur several times in an object: all its members are kept, in order.
    /// - A text ends at the first quotation mark without a backslash before it. If the bytes between the marks are not UTF-8, or
    ///   have a lone surrogate, a control character or an unknown escape, the text's bytes are not UTF-8: the caller checks that.
    package static func parseLenient(_ document: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) -> JSONValue {
        try parse(document, code: code, isLenient: true)
    }

    private static func parse(
        _ document: ArraySlice<UInt8>, code: ReasonCode, isLenient: Bool
    ) throws(Rejection) -> JSONValue {
        var reader = JSONReader(scanner: JSONScanner(document, isLenient: isLenient), isLenient: isLenient)
        do throws(JSONProblem) {
            let value = try reader.value(depth: 0)
            try reader.scanner.end()
            return value
        } catch {
            throw Rejection(code, "not \(isLenient ? "" : "strict ")JSON: \(error.description)", offset: error.index)
        }
    }

    private mutating func value(depth: Int) throws(JSONProblem) -> JSONValue {
        guard depth < Self.depthLimit else { throw scanner.problem("nested deeper than \(Self.depthLimit)") }
        switch scanner.first() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(Array(try scanner.string()))
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try scanner.number())
        }
    }

    private mutating func object(depth: Int) throws(JSONProblem) -> JSONObject {
        _ = scanner.take("{")
        var object = JSONObject()
        var names = SeenNames()
        if scanner.take("}") { return object }
        repeat {
            let name = Array(try scanner.string())
            guard isLenient || names.insert(name, after: object.members) else {
                throw scanner.problem("an object holds a name twice")
            }
            guard scanner.take(":") else { throw scanner.problem("want a colon") }
            object.add(name, try value(depth: depth + 1))
        } while scanner.take(",")
        guard scanner.take("}") else { throw scanner.problem("an object does not end") }
        return object
    }

    private mutating func array(depth: Int) throws(JSONProblem) -> [JSONValue] {
        _ = scanner.take("[")
        var elements: [JSONValue] = []
        if scanner.take("]") { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while scanner.take(",")
        guard scanner.take("]") else { throw scanner.problem("an array does not end") }
        return elements
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        try scanner.word(word)
        return value
    }
}

/// The names of an object that is being read. A few are compared one by one; a set of many keeps the time in proportion to their number.
private struct SeenNames {
    private static let few = 16
    private var many: Set<[UInt8]> = []

    /// Whether the name is a new one.
    ///
    /// - Parameter members: those before it.
    mutating func insert(_ name: [UInt8], after members: [JSONObject.Member]) -> Bool {
        guard members.count >= Self.few else {
            // By index: an iterator would copy each member.
            for index in members.indices where members[index].name == name { return false }
            return true
        }
        if many.isEmpty { many = Set(members.lazy.map(\.name)) }
        return many.insert(name).inserted
    }
}

/// A JSON value as it was read. Names and texts are UTF-8 with escapes undone, and compared as bytes, never normalised. What
/// `JSONReader.parseLenient` returns may hold names and texts that are not UTF-8.
package enum JSONValue: Hashable, Sendable {
    case object(JSONObject)
    case array([JSONValue])
    case string([UInt8])
    /// As written in the document, in the form of RFC 8259 §6.
    case number(ArraySlice<UInt8>)
    case boolean(Bool)
    case null
}

/// The members of a JSON object, in order. No two have the same name, unless `JSONReader.parseLenient` read it.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let name: [UInt8]
        package let value: JSONValue
        package init(name: [UInt8], value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    package private(set) var members: [Member] = []

    package init(_ members: [Member] = []) { self.members = members }

    mutating func add(_ name: [UInt8], _ value: JSONValue) { members.append(Member(name: name, value: value)) }

    /// The values of all members of that name, in order.
    package func all(_ name: StaticString) -> [JSONValue] {
        name.withUTF8Buffer { name in
            var (values, next) = ([JSONValue](), 0)
            while let index = place(of: name, from: next) {
                values.append(members[index].value)
                next = index + 1
            }
            return values
        }
    }

    package subscript(name: some Collection<UInt8>) -> JSONValue? {
        let index =
            name.withContiguousStorageIfAvailable { place(of: $0, from: 0) }
            ?? Array(name).withUnsafeBufferPointer { place(of: $0, from: 0) }
        return index.map { members[$0].value }
    }

    /// The index of the first member of that name, from an index on.
    private func place(of name: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let name = UnsafeRawBufferPointer(name)
        // By index: an iterator would copy each member.
        for index in start..<members.count where members[index].name.withUnsafeBytes({ $0.equals(name) }) { return index }
        return nil
    }
}
