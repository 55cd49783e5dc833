import AssayCore

/// The messages and enumerations of some methods as JSON Schema (2020-12), in the form in which ``MethodJSON`` reads and writes them.
///
/// Requests are closed, as the reader refuses members that it does not know; answers are open, as later versions may have more. Of what is read
/// the schemas have the usual spelling alone: the document says in words which others there are.
struct OpenAPISchemas {
    private static let prefix = "#/components/schemas/"
    private static let package = "assay.v1."

    private let schema: APISchema
    private let comments = SchemaComments.current
    /// By full name: what requests are made of.
    private var read: Set<String> = []
    private var messages: [String: MessageSchema] = [:]
    private var enumerations: [String: EnumerationSchema] = [:]

    init(of methods: [MethodJSON], in schema: APISchema) {
        self.schema = schema
        for method in methods {
            add(method.request, isRead: true)
            add(method.response, isRead: false)
        }
    }

    private mutating func add(_ message: MessageSchema, isRead: Bool) {
        let isNew = messages.updateValue(message, forKey: message.name) == nil
        let isNewlyRead = isRead && read.insert(message.name).inserted
        guard isNew || isNewlyRead else { return }
        for field in message.fields {
            switch field.kind {
            case .message(let position): add(schema.messages[position], isRead: isRead)
            case .enumeration(let position):
                let enumeration = schema.enumerations[position]
                enumerations[enumeration.name] = enumeration
            case .boolean, .int32, .int64, .uint32, .uint64, .double, .text, .bytes: break
            }
        }
    }

    /// Each by its name in the document, in the order of the names.
    var components: [(key: String, value: JSONValue?)] {
        let all =
            messages.values.map { (key: Self.name($0.name), value: object($0)) }
            + enumerations.values.map { (key: Self.name($0.name), value: words($0)) }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The name in the document of what has the full name: `Device.State` for `assay.v1.Device.State`.
    static func name(_ full: String) -> String {
        full.hasPrefix(package) ? String(full.dropFirst(package.count)) : full
    }

    /// A reference to a message or an enumeration.
    static func reference(_ full: String, description: String = "") -> JSONValue {
        .members(["$ref": .text(prefix + name(full)), "description": text(description)])
    }

    /// `nil` where there is nothing to say.
    private static func text(_ comment: String) -> JSONValue? { comment.isEmpty ? nil : .text(comment) }

    // MARK: Messages

    private func object(_ message: MessageSchema) -> JSONValue {
        let isRead = read.contains(message.name)
        let choices = message.choices.indices.compactMap { exclusion(of: $0, in: message) }
        return .members([
            "type": .text("object"),
            "description": Self.text(comments[message.name]),
            "properties": message.fields.isEmpty
                ? nil : .members(message.fields.map { ($0.jsonName, property($0, of: message, isRead: isRead)) }),
            "additionalProperties": isRead ? .boolean(false) : nil,
            "oneOf": choices.count == 1 ? choices.first : nil,
            "allOf": choices.count > 1 ? .array(choices.map { .members(["oneOf": $0]) }) : nil,
        ])
    }

    /// The alternatives of a choice: one of its members, or none. `nil` if it has a single one, which excludes nothing.
    private func exclusion(of choice: Int, in message: MessageSchema) -> JSONValue? {
        let members = message.fields.filter { $0.choice == choice }
            .map { JSONValue.members(["required": .texts([$0.jsonName])]) }
        guard members.count > 1 else { return nil }
        return .array(members + [.members(["not": .members(["anyOf": .array(members)])])])
    }

    private func property(_ field: FieldSchema, of message: MessageSchema, isRead: Bool) -> JSONValue {
        let comment = comments["\(message.name).\(field.name)"]
        switch field.count {
        case .single: return value(field.kind, comment, isRead: isRead)
        case .repeated:
            return .members([
                "type": .text("array"), "description": Self.text(comment), "items": value(field.kind, isRead: isRead),
            ])
        case .map:
            return .members([
                "type": .text("object"), "description": Self.text(comment),
                "additionalProperties": value(field.kind, isRead: isRead),
            ])
        }
    }

    // MARK: Values

    private func value(_ kind: FieldSchema.Kind, _ comment: String = "", isRead: Bool) -> JSONValue {
        let description = Self.text(comment)
        switch kind {
        case .boolean: return .members(["type": .text("boolean"), "description": description])
        case .int32: return .members(["type": .text("integer"), "description": description, "format": .text("int32")])
        case .uint32:
            return .members([
                "type": .text("integer"), "description": description, "format": .text("uint32"), "minimum": .integer(0),
                "maximum": .integer(UInt32.max),
            ])
        case .int64: return digits("int64", "^(0|-?[1-9][0-9]{0,18})$", description, isRead: isRead)
        case .uint64: return digits("uint64", "^(0|[1-9][0-9]{0,19})$", description, isRead: isRead)
        case .double:
            return .members([
                "description": description,
                "anyOf": .array([
                    .members(["type": .text("number"), "format": .text("double")]),
                    .members(["type": .text("string"), "enum": .texts(["NaN", "Infinity", "-Infinity"])]),
                ]),
            ])
        case .text: return .members(["type": .text("string"), "description": description])
        case .bytes:
            return .members(["type": .text("string"), "description": description, "contentEncoding": .text("base64")])
        case .enumeration(let position):
            return Self.reference(schema.enumerations[position].name, description: comment)
        case .message(let position): return Self.reference(schema.messages[position].name, description: comment)
        }
    }

    /// An integer of 64 bits: a text where it is written, and a text or a number where it is read.
    private func digits(_ format: String, _ pattern: String, _ description: JSONValue?, isRead: Bool) -> JSONValue {
        .members([
            "type": isRead ? .texts(["string", "integer"]) : .text("string"), "description": description,
            "format": .text(format), "pattern": .text(pattern),
        ])
    }

    private func words(_ enumeration: EnumerationSchema) -> JSONValue {
        let lines = enumeration.values.compactMap { value in
            let comment = comments["\(enumeration.name).\(value.name)"]
            return comment.isEmpty ? nil : "- `\(value.name)`: \(comment.split(separator: "\n").joined(separator: " "))"
        }
        let parts = [comments[enumeration.name], lines.joined(separator: "\n")].filter { !$0.isEmpty }
        return .members([
            "type": .text("string"), "description": Self.text(parts.joined(separator: "\n\n")),
            "enum": .texts(enumeration.values.map(\.name)),
        ])
    }
}
