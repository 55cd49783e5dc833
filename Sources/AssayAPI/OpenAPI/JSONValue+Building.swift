import AssayCore

/// Values of a document that the daemon writes.
extension JSONValue {
    static func text(_ text: String) -> JSONValue { .string(Array(text.utf8)) }

    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(Array(String(value).utf8)[...]) }

    static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .text($0) }) }

    /// An object. What is `nil` is left out.
    static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue { Self.members(members.map { $0 }) }

    /// An object. What is `nil` is left out.
    static func members(_ members: [(key: String, value: JSONValue?)]) -> JSONValue {
        .object(
            JSONObject(
                members.compactMap { name, value in
                    value.map { JSONObject.Member(name: Array(name.utf8), value: $0) }
                }))
    }

    /// The value of a text of the sources. `null` if it is not JSON, which tests exclude.
    static func parsed(_ text: String) -> JSONValue {
        (try? JSONReader.parse(Array(text.utf8)[...], code: .malformed)) ?? .null
    }

    /// The members of an object; of another value, none.
    var members: [JSONObject.Member] {
        guard case .object(let object) = self else { return [] }
        return object.members
    }
}
