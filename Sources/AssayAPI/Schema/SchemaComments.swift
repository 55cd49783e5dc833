import SwiftProtobuf

/// The comments of the API's .proto files, for documents of the interface.
///
/// They are two thirds of the descriptors and more than half of the work to read them, so they are apart from ``APISchema``, which every daemon
/// reads when it starts.
package struct SchemaComments: Sendable {
    /// Read when it is first asked for. Empty if what was embedded is defective, which a test excludes.
    package static let current = SchemaComments(of: APISchema.current.files)

    /// By full name, those without a comment left out.
    private let texts: [String: String]

    /// - Parameter files: serialised `google.protobuf.FileDescriptorProto`s. What is none has no comments.
    init(of files: [[UInt8]]) {
        var texts: [String: String] = [:]
        for case let file? in files.map({ try? Google_Protobuf_FileDescriptorProto(serializedBytes: $0) }) {
            texts.merge(CommentPlaces(in: file).comments(file.sourceCodeInfo)) { first, _ in first }
        }
        self.texts = texts
    }

    /// The comment of a service, a method, a message, a field, an enumeration or a value, by its full name, such as `assay.v1.Attestation` or
    /// `assay.v1.VerifyRequest.app`, or by a method's gRPC path. Lines are those of the file. Empty if there is none.
    package subscript(name: String) -> String {
        guard name.utf8.first == UInt8(ascii: "/") else { return texts[name] ?? "" }
        return texts[String(name.dropFirst().map { $0 == "/" ? "." : $0 })] ?? ""
    }
}

extension APIMethod {
    /// What the .proto file says of the method.
    package var comment: String { SchemaComments.current[path] }
}

/// Which declaration of a file a comment belongs to.
private struct CommentPlaces {
    /// Full names by the paths of `google.protobuf.SourceCodeInfo`. The numbers in the paths are those of the fields in descriptor.proto.
    private var names: [[Int32]: String] = [:]

    init(in file: Google_Protobuf_FileDescriptorProto) {
        for (index, message) in file.messageType.enumerated() { add(message, in: file.package, at: [4, Int32(index)]) }
        for (index, enumeration) in file.enumType.enumerated() { add(enumeration, in: file.package, at: [5, Int32(index)]) }
        for (index, service) in file.service.enumerated() {
            let name = "\(file.package).\(service.name)"
            names[[6, Int32(index)]] = name
            for (number, method) in service.method.enumerated() {
                names[[6, Int32(index), 2, Int32(number)]] = "\(name).\(method.name)"
            }
        }
    }

    private mutating func add(_ message: Google_Protobuf_DescriptorProto, in scope: String, at path: [Int32]) {
        // What a `map` field is made of is no message of the API.
        guard !message.options.mapEntry else { return }
        let name = "\(scope).\(message.name)"
        names[path] = name
        for (index, field) in message.field.enumerated() { names[path + [2, Int32(index)]] = "\(name).\(field.name)" }
        for (index, nested) in message.nestedType.enumerated() { add(nested, in: name, at: path + [3, Int32(index)]) }
        for (index, nested) in message.enumType.enumerated() { add(nested, in: name, at: path + [4, Int32(index)]) }
    }

    private mutating func add(_ enumeration: Google_Protobuf_EnumDescriptorProto, in scope: String, at path: [Int32]) {
        let name = "\(scope).\(enumeration.name)"
        names[path] = name
        for (index, value) in enumeration.value.enumerated() { names[path + [2, Int32(index)]] = "\(name).\(value.name)" }
    }

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
