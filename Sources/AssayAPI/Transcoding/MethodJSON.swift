import SwiftProtobuf

/// The JSON of one method's messages: ProtoJSON, as protobuf defines it, read strictly.
///
/// What is read and written are the bytes that the method takes and returns, so that a front which speaks JSON calls a method as one
/// that speaks protobuf does, and a method needs no code for it.
///
/// **Read** is one object. Its members are the fields by either of their names; each at most once. Refused is what protobuf's readers differ
/// in, or would have to guess: a member that is not known, a field under both of its names, two members of a choice, one of them `null`
/// included, a value of another type, a name that an enumeration does not have, a number that is not an integer in its
/// only spelling (`1.0`, `1e3`, `-0`), Base64 with other characters or with bits left over, and `null` in a list. Integers may be texts of
/// their digits; an enumeration's value is its number or its name, with or without the enumeration's (`PURPOSE_REGISTER`, `REGISTER`), and of a number that the enumeration does not have the method says what it says over frames and gRPC; bytes are Base64 or base64url, with or without padding; a `null` outside of lists is a field left out.
///
/// **Written** is what other implementations write: names in lower camel case, integers of 64 bits as texts, enumerations by name, bytes as padded
/// Base64, fields with default values left out unless they are in a choice. Members are in the order of their numbers, and those of a map in the
/// order of their names.
package struct MethodJSON: Sendable {
    /// Elements of all lists and maps in one text. No request may have more than 1,000 of anything.
    package static let elementLimit = 10_000

    package let request: MessageSchema
    package let response: MessageSchema
    private let schema: APISchema

    /// - Parameters:
    ///   - request: the full name of the message that the method takes.
    ///   - response: the full name of the message that it returns, or that its streams consist of.
    /// - Returns: `nil` if the schema does not have the messages.
    package init?(request: String, response: String, of schema: APISchema = .current) {
        guard let request = schema[message: request], let response = schema[message: response] else { return nil }
        (self.request, self.response, self.schema) = (request, response, schema)
    }

    /// The bytes of the request that a text states, for ``AssayRPC/RPCCall``.
    ///
    /// The caller bounds the length of the text, which bounds the memory: nothing of it is kept but the request itself, which is at
    /// most four times as long, and no longer than the text where it has no lists of numbers.
    package func readRequest(_ text: ArraySlice<UInt8>) throws(JSONMessageError) -> [UInt8] {
        try JSONMessageReader.read(text, as: request, of: schema)
    }

    /// The JSON of a request, which ``readRequest(_:)`` reads as these bytes. Throws if they are not the message.
    package func writeRequest(_ message: [UInt8]) throws(JSONMessageError) -> [UInt8] {
        try JSONMessageWriter.write(message, as: request, of: schema)
    }

    /// The JSON of an answer, or of one message of a stream. Throws if the bytes are not the message; the daemon's own are.
    package func writeResponse(_ message: [UInt8]) throws(JSONMessageError) -> [UInt8] {
        try JSONMessageWriter.write(message, as: response, of: schema)
    }
}

extension APIMethod {
    /// The JSON of the method's messages. Looked up each time: a front keeps it for each of its methods.
    ///
    /// `nil` only if the embedded .proto files do not have the messages, which a test excludes.
    package var json: MethodJSON? {
        MethodJSON(request: Request.protoMessageName, response: Response.protoMessageName)
    }
}

/// Why a text is not the JSON of a message. It names members that the .proto files name, and holds no part of the text.
package struct JSONMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member, such as `evidence[1].playIntegrityToken.token`. Empty for the message itself.
    package let place: String
    /// What is wrong, as the end of a sentence that begins with the place.
    package let problem: String

    package var description: String { "\(place.isEmpty ? "the message" : place) \(problem)" }

    init(_ problem: String, at place: String = "") { (self.place, self.problem) = (place, problem) }

    /// The error as it is to the message that has the field.
    func inside(_ field: FieldSchema) -> Self {
        Self(problem, at: "\(field.jsonName)\(rest)")
    }

    /// The error as it is to the list or map that has the element, counted from 0.
    func inside(element index: Int) -> Self {
        Self(problem, at: "[\(index)]\(rest)")
    }

    /// The place as the end of a longer one.
    private var rest: String { place.isEmpty || place.utf8.first == UInt8(ascii: "[") ? place : ".\(place)" }
}
