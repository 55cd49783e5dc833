import AssayCore

/// The messages, enumerations and comments of the API as its .proto files state them, for what is made of all of them alike: JSON, documents
/// of the interface, reflection.
package final class APISchema: Sendable {
    /// What `dev/generate-protos.sh` embedded, read when it is first asked for. Empty if that is defective, which a test excludes.
    package static let current: APISchema = {
        let descriptors = APIDescriptors.base64.withUTF8Buffer { Base64.standard.decode(utf8: Array($0)) }
        do throws(SchemaDefect) {
            return try APISchema(descriptors: descriptors ?? [])
        } catch {
            return APISchema()
        }
    }()

    /// Each file as a serialised `google.protobuf.FileDescriptorProto`, after those that it imports, for reflection.
    package let files: [[UInt8]]
    /// In the order of the files, nested ones after those that they stand in. Fields refer to them by position.
    package let messages: [MessageSchema]
    /// In the order of the files. Fields refer to them by position.
    package let enumerations: [EnumerationSchema]
    /// By full name, those without a comment left out.
    private let comments: [String: String]
    private let positions: [String: Int]

    init(
        files: [[UInt8]] = [], messages: [MessageSchema] = [], enumerations: [EnumerationSchema] = [],
        comments: [String: String] = [:]
    ) {
        (self.files, self.messages, self.enumerations, self.comments) = (files, messages, enumerations, comments)
        positions = Dictionary(
            messages.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// The message of that full name, such as `assay.v1.VerifyRequest`; `nil` if there is none.
    package subscript(message name: String) -> MessageSchema? { positions[name].map { messages[$0] } }

    /// The comment of a service, a method, a message, a field, an enumeration or a value, by its full name, such as `assay.v1.Attestation` or
    /// `assay.v1.VerifyRequest.app`, or by a method's gRPC path. Lines are those of the file. Empty if there is none.
    package func comment(of name: String) -> String {
        guard name.utf8.first == UInt8(ascii: "/") else { return comments[name] ?? "" }
        return comments[String(name.dropFirst().map { $0 == "/" ? "." : $0 })] ?? ""
    }
}

extension APIMethod {
    /// What the .proto file says of the method.
    package var comment: String { APISchema.current.comment(of: path) }
}

/// Why descriptors are not a schema: a sentence about the generated file.
struct SchemaDefect: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
