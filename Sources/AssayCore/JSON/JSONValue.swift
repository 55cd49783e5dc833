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
    }

    package private(set) var members: [Member] = []

    mutating func add(_ name: [UInt8], _ value: JSONValue) { members.append(Member(name: name, value: value)) }

    /// The values of all members of that name, in order.
    package func all(_ name: some Collection<UInt8>) -> [JSONValue] {
        members.compactMap { $0.name.elementsEqual(name) ? $0.value : nil }
    }

    package subscript(name: some Collection<UInt8>) -> JSONValue? {
        members.first { $0.name.elementsEqual(name) }?.value
    }
}
