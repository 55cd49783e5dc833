import AssayCore

@testable import AssayAPI

/// Holds values against the schemas of the document, by the part of JSON Schema that it uses. A keyword that is not known here is a finding.
struct SchemaCheck {
    /// Keywords that say nothing of a value.
    private static let annotations: Set = ["description", "format", "contentEncoding", "examples"]

    private let document: JSONValue

    init(document: JSONValue = OpenAPIDocument.tree) { self.document = document }

    /// The value at a reference such as `#/components/schemas/Verdict`; `nil` if there is none.
    func target(of reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document) { value, name in value?[String(name)] }
    }

    /// What is wrong with a value, each with its place; empty if nothing is.
    func problems(of value: JSONValue, by schema: JSONValue, at place: String = "$") -> [String] {
        guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
        return keywords.members.flatMap { member in
            problems(of: value, String(decoding: member.name, as: UTF8.self), member.value, in: schema, at: place)
        }
    }

    private func problems(
        of value: JSONValue, _ keyword: String, _ operand: JSONValue, in schema: JSONValue, at place: String
    ) -> [String] {
        func fails(_ isGood: Bool) -> [String] { isGood ? [] : ["\(place): \(keyword)"] }
        func fits(_ schema: JSONValue) -> Bool { problems(of: value, by: schema, at: place).isEmpty }
        switch keyword {
        case _ where Self.annotations.contains(keyword): return []
        case "$ref":
            guard let target = operand.string.flatMap({ target(of: $0) }) else { return ["\(place): a reference to nothing"] }
            return problems(of: value, by: target, at: place)
        case "type": return fails((operand.string.map { [$0] } ?? operand.strings).contains { value.isOf(type: $0) })
        case "enum": return fails(operand.elements.contains(value))
        case "pattern":
            guard let text = value.string else { return [] }
            guard let pattern = operand.string, let regex = try? Regex(pattern) else { return ["\(place): no pattern"] }
            return fails(text.firstMatch(of: regex) != nil)
        case "minimum", "maximum":
            guard let number = value.number, let limit = operand.number else { return [] }
            return fails(keyword == "minimum" ? number >= limit : number <= limit)
        case "required": return fails(operand.strings.allSatisfy { value[$0] != nil })
        case "properties":
            return value.members.flatMap { member in
                let name = String(decoding: member.name, as: UTF8.self)
                return operand[name].map { problems(of: member.value, by: $0, at: "\(place).\(name)") } ?? []
            }
        case "additionalProperties":
            let others = value.members.filter { schema["properties"]?[String(decoding: $0.name, as: UTF8.self)] == nil }
            if operand == .boolean(false) { return fails(others.isEmpty) }
            return others.flatMap { problems(of: $0.value, by: operand, at: "\(place).*") }
        case "items":
            return value.elements.enumerated().flatMap { problems(of: $1, by: operand, at: "\(place)[\($0)]") }
        case "oneOf": return fails(operand.elements.count(where: fits) == 1)
        case "anyOf": return fails(operand.elements.contains(where: fits))
        case "allOf": return operand.elements.flatMap { problems(of: value, by: $0, at: place) }
        case "not": return fails(!fits(operand))
        default: return ["\(place): the keyword \(keyword) is not known"]
        }
    }
}

extension JSONValue {
    /// The member of that name, of an object that has it.
    subscript(name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[Array(name.utf8)]
    }

    var string: String? {
        guard case .string(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    var number: Double? {
        guard case .number(let digits) = self else { return nil }
        return Double(String(decoding: digits, as: UTF8.self))
    }

    /// Of an array; of another value, none.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The texts of an array.
    var strings: [String] { elements.compactMap(\.string) }

    /// The names of an object's members, in order.
    var names: [String] { members.map { String(decoding: $0.name, as: UTF8.self) } }

    func isOf(type: String) -> Bool {
        switch (self, type) {
        case (.object, "object"), (.array, "array"), (.string, "string"), (.boolean, "boolean"), (.null, "null"),
            (.number, "number"):
            true
        case (.number(let digits), "integer"): Int64(String(decoding: digits, as: UTF8.self)) != nil
        default: false
        }
    }
}
