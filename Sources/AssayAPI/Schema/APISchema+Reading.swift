import AssayProtobuf
import SwiftProtobuf

extension APISchema {
    /// Reads a serialised `google.protobuf.FileDescriptorSet`.
    convenience init(descriptors: [UInt8]) throws(SchemaDefect) {
        let files = try Self.files(in: descriptors)
        var declared = DeclaredTypes()
        for file in files { declared.add(try Self.declarations(of: file)) }
        var messages: [MessageSchema] = []
        for (name, descriptor) in declared.messages { messages.append(try declared.schema(name, descriptor)) }
        let enumerations = declared.enumerations.map { name, descriptor in
            EnumerationSchema(name: name, values: descriptor.value.map { ($0.number, $0.name) })
        }
        self.init(files: files, messages: messages, enumerations: enumerations)
    }

    /// The schema of files that are none of the API's.
    ///
    /// - Parameter files: serialised `google.protobuf.FileDescriptorProto`s, each after those that it imports.
    /// - Returns: `nil` if they are none, or have a type that is not read.
    package convenience init?(files: [[UInt8]]) {
        var set = ProtobufWriter(capacity: files.reduce(0) { $0 + $1.count + 8 })
        for file in files { set.writeAlways(1, file[...]) }
        do throws(SchemaDefect) { try self.init(descriptors: set.finish()) } catch { return nil }
    }

    /// The bytes of field 1 of the set.
    private static func files(in descriptors: [UInt8]) throws(SchemaDefect) -> [[UInt8]] {
        var files: [[UInt8]] = []
        try forEachField(of: descriptors) { number, bytes in
            if number == 1 { files.append(Array(bytes)) }
        }
        return files
    }

    /// Of a file its package (2), its messages (4) and its enumerations (5): without its comments, which are most of it.
    private static func declarations(of file: [UInt8]) throws(SchemaDefect) -> Google_Protobuf_FileDescriptorProto {
        var kept = ProtobufWriter(capacity: file.count)
        try forEachField(of: file) { number, bytes in
            if [2, 4, 5].contains(number) { kept.writeAlways(number, bytes) }
        }
        do {
            return try Google_Protobuf_FileDescriptorProto(serializedBytes: kept.finish())
        } catch {
            throw Rules.malformed
        }
    }

    /// The fields of a message that are bytes.
    private static func forEachField(
        of message: [UInt8], _ body: (_ number: Int, _ bytes: ArraySlice<UInt8>) -> Void
    ) throws(SchemaDefect) {
        try message.withUnsafeBufferPointer { (buffer) throws(SchemaDefect) in
            var reader = ProtobufReader<Rules>(UnsafeRawBufferPointer(buffer))
            while let field = try reader.next() {
                if case .bytes(let number, let range) = field { body(number, message[range]) }
            }
        }
    }

    private enum Rules: ProtobufRules {
        static var malformed: SchemaDefect { SchemaDefect("the descriptors are not a message") }
        static var dropsHighBits: Bool { true }
    }
}

/// The messages and enumerations of all files by their full names, so that fields can refer to them.
private struct DeclaredTypes {
    private(set) var messages: [(name: String, descriptor: Google_Protobuf_DescriptorProto)] = []
    private(set) var enumerations: [(name: String, descriptor: Google_Protobuf_EnumDescriptorProto)] = []
    /// What a `map` field is made of; no message of the API.
    private var entries: [String: Google_Protobuf_DescriptorProto] = [:]
    private var messagePositions: [String: Int] = [:]
    private var enumerationPositions: [String: Int] = [:]

    mutating func add(_ file: Google_Protobuf_FileDescriptorProto) {
        for message in file.messageType { add(message, in: file.package) }
        for enumeration in file.enumType { add(enumeration, in: file.package) }
    }

    private mutating func add(_ message: Google_Protobuf_DescriptorProto, in scope: String) {
        let name = "\(scope).\(message.name)"
        guard !message.options.mapEntry else {
            entries[name] = message
            return
        }
        messagePositions[name] = messages.count
        messages.append((name, message))
        for nested in message.nestedType { add(nested, in: name) }
        for nested in message.enumType { add(nested, in: name) }
    }

    private mutating func add(_ enumeration: Google_Protobuf_EnumDescriptorProto, in scope: String) {
        let name = "\(scope).\(enumeration.name)"
        enumerationPositions[name] = enumerations.count
        enumerations.append((name, enumeration))
    }

    func schema(_ name: String, _ descriptor: Google_Protobuf_DescriptorProto) throws(SchemaDefect) -> MessageSchema {
        guard descriptor.field.count <= MessageSchema.fieldLimit, descriptor.oneofDecl.count <= MessageSchema.fieldLimit else {
            throw SchemaDefect("\(name) has more than \(MessageSchema.fieldLimit) fields")
        }
        var fields: [FieldSchema] = []
        for field in descriptor.field {
            let (kind, count) = try type(of: field)
            fields.append(
                FieldSchema(
                    number: Int(field.number), name: field.name,
                    jsonName: field.hasJsonName ? field.jsonName : Self.jsonName(field.name),
                    kind: kind, count: count,
                    choice: field.hasOneofIndex ? Int(field.oneofIndex) : nil))
        }
        return MessageSchema(name: name, fields: fields, choices: descriptor.oneofDecl.map(\.name))
    }

    /// The name of a field in JSON where its file leaves it out: without underscores, with a capital behind each.
    private static func jsonName(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private func type(
        of field: Google_Protobuf_FieldDescriptorProto
    ) throws(SchemaDefect) -> (FieldSchema.Kind, FieldSchema.Count) {
        guard field.label == .repeated else { return (try kind(of: field), .single) }
        guard field.type == .message, let entry = entries[Self.reference(field)] else {
            return (try kind(of: field), .repeated)
        }
        // A map's entry has the key in field 1 and the value in field 2.
        guard entry.field.count == 2, entry.field[0].type == .string else {
            throw SchemaDefect("the keys of \(field.name) are not texts")
        }
        return (try kind(of: entry.field[1]), .map)
    }

    private func kind(of field: Google_Protobuf_FieldDescriptorProto) throws(SchemaDefect) -> FieldSchema.Kind {
        switch field.type {
        case .bool: return .boolean
        case .int32: return .int32
        case .int64: return .int64
        case .uint32: return .uint32
        case .uint64: return .uint64
        case .double: return .double
        case .string: return .text
        case .bytes: return .bytes
        case .enum:
            if let position = enumerationPositions[Self.reference(field)] { return .enumeration(position) }
        case .message:
            if let position = messagePositions[Self.reference(field)] { return .message(position) }
        default: break
        }
        throw SchemaDefect("\(field.name) has a type that is not read")
    }

    /// A full name is written with a dot before it.
    private static func reference(_ field: Google_Protobuf_FieldDescriptorProto) -> String {
        String(field.typeName.dropFirst())
    }
}
