import AssayProtobuf
import SwiftProtobuf

extension APISchema {
    /// Reads a serialised `google.protobuf.FileDescriptorSet`.
    convenience init(descriptors: [UInt8]) throws(SchemaDefect) {
        let set: Google_Protobuf_FileDescriptorSet
        do {
            set = try Google_Protobuf_FileDescriptorSet(serializedBytes: descriptors)
        } catch {
            throw SchemaDefect("the descriptors are not a message")
        }
        var comments: [String: String] = [:]
        var declared = DeclaredTypes()
        for file in set.file {
            var places = CommentPlaces()
            declared.add(file, &places)
            comments.merge(places.comments(file.sourceCodeInfo)) { first, _ in first }
        }
        var messages: [MessageSchema] = []
        for (name, descriptor) in declared.messages { messages.append(try declared.schema(name, descriptor, comments)) }
        let enumerations = declared.enumerations.map { name, descriptor in
            EnumerationSchema(
                name: name, comment: comments[name] ?? "",
                values: descriptor.value.map { ($0.number, $0.name) })
        }
        self.init(
            files: try Self.files(in: descriptors), messages: messages, enumerations: enumerations, comments: comments)
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
        try descriptors.withUnsafeBufferPointer { (buffer) throws(SchemaDefect) in
            let memory = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<Rules>(memory)
            var files: [[UInt8]] = []
            while let field = try reader.next() {
                if case .bytes(1, let range) = field { files.append(Array(memory[range])) }
            }
            return files
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

    /// The numbers in the paths are those of the fields in descriptor.proto.
    mutating func add(_ file: Google_Protobuf_FileDescriptorProto, _ places: inout CommentPlaces) {
        for (index, message) in file.messageType.enumerated() {
            add(message, in: file.package, at: [4, Int32(index)], &places)
        }
        for (index, enumeration) in file.enumType.enumerated() {
            add(enumeration, in: file.package, at: [5, Int32(index)], &places)
        }
        for (index, service) in file.service.enumerated() {
            let name = "\(file.package).\(service.name)"
            places.add(name, at: [6, Int32(index)])
            for (number, method) in service.method.enumerated() {
                places.add("\(name).\(method.name)", at: [6, Int32(index), 2, Int32(number)])
            }
        }
    }

    private mutating func add(
        _ message: Google_Protobuf_DescriptorProto, in scope: String, at path: [Int32], _ places: inout CommentPlaces
    ) {
        let name = "\(scope).\(message.name)"
        guard !message.options.mapEntry else {
            entries[name] = message
            return
        }
        messagePositions[name] = messages.count
        messages.append((name, message))
        places.add(name, at: path)
        for (index, field) in message.field.enumerated() { places.add("\(name).\(field.name)", at: path + [2, Int32(index)]) }
        for (index, nested) in message.nestedType.enumerated() { add(nested, in: name, at: path + [3, Int32(index)], &places) }
        for (index, nested) in message.enumType.enumerated() { add(nested, in: name, at: path + [4, Int32(index)], &places) }
    }

    private mutating func add(
        _ enumeration: Google_Protobuf_EnumDescriptorProto, in scope: String, at path: [Int32], _ places: inout CommentPlaces
    ) {
        let name = "\(scope).\(enumeration.name)"
        enumerationPositions[name] = enumerations.count
        enumerations.append((name, enumeration))
        places.add(name, at: path)
        for (index, value) in enumeration.value.enumerated() {
            places.add("\(name).\(value.name)", at: path + [2, Int32(index)])
        }
    }

    func schema(
        _ name: String, _ descriptor: Google_Protobuf_DescriptorProto, _ comments: [String: String]
    ) throws(SchemaDefect) -> MessageSchema {
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
                    comment: comments["\(name).\(field.name)"] ?? "", kind: kind, count: count,
                    choice: field.hasOneofIndex ? Int(field.oneofIndex) : nil))
        }
        return MessageSchema(
            name: name, comment: comments[name] ?? "", fields: fields, choices: descriptor.oneofDecl.map(\.name))
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

/// Which declaration of a file a comment belongs to.
private struct CommentPlaces {
    /// Full names by the paths of `google.protobuf.SourceCodeInfo`.
    private var names: [[Int32]: String] = [:]

    mutating func add(_ name: String, at path: [Int32]) { names[path] = name }

    /// By full name.
    func comments(_ info: Google_Protobuf_SourceCodeInfo) -> [String: String] {
        var comments: [String: String] = [:]
        for location in info.location {
            guard let name = names[location.path] else { continue }
            let lines = (location.leadingComments + location.trailingComments).split(separator: "\n")
            comments[name] = lines.map { $0.drop { $0 == " " } }.joined(separator: "\n")
        }
        return comments
    }
}
