import AssayCore

/// The messages and enumerations of the API as its .proto files state them, for what is made of all of them alike: JSON, documents of the
/// interface, reflection.
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
    private let positions: [String: Int]

    init(files: [[UInt8]] = [], messages: [MessageSchema] = [], enumerations: [EnumerationSchema] = []) {
        (self.files, self.messages, self.enumerations) = (files, messages, enumerations)
        positions = Dictionary(
            messages.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// The message of that full name, such as `assay.v1.VerifyRequest`; `nil` if there is none.
    package subscript(message name: String) -> MessageSchema? { positions[name].map { messages[$0] } }
}

/// Why descriptors are not a schema: a sentence about the generated file.
struct SchemaDefect: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
