/// A parsed JSON value. Names and texts are unescaped UTF-8, compared as bytes and never normalised.
package enum JSONValue: Hashable, Sendable {
    case object(JSONObject)
    case array([JSONValue])
    case string([UInt8])
    /// As written in the document, in the form of RFC 8259 §6.
    case number(ArraySlice<UInt8>)
    case boolean(Bool)
    case null
}

/// The members of a JSON object, in order, without duplicate names.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let name: [UInt8]
        package let value: JSONValue
    }

    package private(set) var members: [Member] = []

    mutating func add(_ name: [UInt8], _ value: JSONValue) { members.append(Member(name: name, value: value)) }

    package subscript(name: some Collection<UInt8>) -> JSONValue? {
        members.first { $0.name.elementsEqual(name) }?.value
    }
}
