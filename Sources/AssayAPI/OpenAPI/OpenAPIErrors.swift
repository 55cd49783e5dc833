import AssayCore

/// The errors of calls as Connect's unary protocol has them.
enum OpenAPIErrors {
    /// A code in Connect's spelling, and the HTTP status of answers with it.
    struct Code {
        let name: String
        let status: Int
    }

    static let codes = [
        Code(name: "canceled", status: 499), Code(name: "unknown", status: 500), Code(name: "invalid_argument", status: 400),
        Code(name: "deadline_exceeded", status: 504), Code(name: "not_found", status: 404),
        Code(name: "already_exists", status: 409), Code(name: "permission_denied", status: 403),
        Code(name: "resource_exhausted", status: 429), Code(name: "failed_precondition", status: 400),
        Code(name: "aborted", status: 409), Code(name: "out_of_range", status: 400), Code(name: "unimplemented", status: 501),
        Code(name: "internal", status: 500), Code(name: "unavailable", status: 503), Code(name: "data_loss", status: 500),
        Code(name: "unauthenticated", status: 401),
    ]

    /// What a status says of the call.
    private struct Answer {
        let status: Int
        /// In the document.
        let name: String
        let meaning: String
        var saysWhenToRetry = false
    }

    private static let answers = [
        Answer(
            status: 400, name: "BadRequest",
            meaning: "The request breaks a rule of the interface, or what it asks for cannot be done in the present state."),
        Answer(status: 401, name: "Unauthenticated", meaning: "The caller shows no credential that is known here."),
        Answer(status: 403, name: "PermissionDenied", meaning: "The caller may not do this."),
        Answer(status: 404, name: "NotFound", meaning: "There is no such thing, or it is not one that the caller may see."),
        Answer(
            status: 408, name: "RequestTimeout",
            meaning:
                "The request did not come whole in time, and was not begun (reason `body_timeout`). Code: `deadline_exceeded`."),
        Answer(status: 409, name: "Conflict", meaning: "There is such a thing already, or another change came in between."),
        Answer(
            status: 415, name: "UnsupportedMediaType",
            meaning:
                "The content type of the request is not one that is read (reason `unsupported_media_type`). Code: `unimplemented`."
        ),
        Answer(
            status: 429, name: "ResourceExhausted",
            meaning: "A limit was reached, or the request is longer than the limit of messages (reason `message_too_large`).",
            saysWhenToRetry: true),
        Answer(status: 499, name: "Canceled", meaning: "The caller gave the call up."),
        Answer(status: 500, name: "InternalError", meaning: "The daemon failed. Its log says more."),
        Answer(status: 501, name: "Unimplemented", meaning: "The daemon has no such method, or does not read the compression."),
        Answer(
            status: 503, name: "Unavailable", meaning: "The daemon, or something that it needs, does not answer now.",
            saysWhenToRetry: true),
        Answer(
            status: 504, name: "DeadlineExceeded",
            meaning: "The deadline passed. What was done is not known: repeat the call only where that is safe."),
    ]

    /// What an operation may answer beside its message: a reference for each status.
    static let references: [(key: String, value: JSONValue?)] = answers.map {
        (String($0.status), .members(["$ref": .text("#/components/responses/\($0.name)")]))
    }

    /// The answers by their names in the document.
    static let responses: [(key: String, value: JSONValue?)] = answers.map { ($0.name, response($0)) }

    private static func response(_ answer: Answer) -> JSONValue {
        let names = codes.filter { $0.status == answer.status }.map { "`\($0.name)`" }
        let content = JSONValue.members([
            "application/json": .members(["schema": .members(["$ref": .text("#/components/schemas/ConnectError")])])
        ])
        return .members([
            "description": .text(answer.meaning + (names.isEmpty ? "" : " Code: \(names.joined(separator: ", ")).")),
            "headers": answer.saysWhenToRetry
                ? .members(["Retry-After": .members(["$ref": .text("#/components/headers/RetryAfter")])]) : nil,
            "content": content,
        ])
    }

    static let headers: [(key: String, value: JSONValue?)] = [
        (
            "RetryAfter",
            .parsed(
                #"""
                {
                  "description": "The seconds after which another try may help, where the daemon knows them.",
                  "schema": {"type": "integer", "minimum": 0}
                }
                """#)
        )
    ]

    static let schemas: [(key: String, value: JSONValue?)] = [
        (
            "ConnectError",
            .members([
                "type": .text("object"),
                "description": .text("Why a call was not answered. A rejection of evidence is no error: it is an answer."),
                "properties": .members([
                    "code": .members(["type": .text("string"), "enum": .texts(codes.map(\.name))]),
                    "message": .members(["type": .text("string"), "description": .text("For people. Do not parse it.")]),
                    "details": .members([
                        "type": .text("array"),
                        "items": .members(["$ref": .text("#/components/schemas/ConnectErrorDetail")]),
                    ]),
                ]),
                "required": .texts(["code"]),
                "examples": .array([OpenAPIExamples.error]),
            ])
        ),
        (
            "ConnectErrorDetail",
            .parsed(
                #"""
                {
                  "type": "object",
                  "description": "A message that says more. Of google.rpc.ErrorInfo, whose domain is \"assay\", the reason is a stable word for machines; google.rpc.RetryInfo has the time after which another try may help.",
                  "properties": {
                    "type": {"type": "string", "description": "The message's full name: google.rpc.ErrorInfo, google.rpc.RetryInfo or google.rpc.Help. Others may be added."},
                    "value": {"type": "string", "description": "The message in protobuf's binary form. Base64 without padding.", "contentEncoding": "base64"},
                    "debug": {"type": "object", "description": "The message in JSON, where it is given."}
                  },
                  "required": ["type", "value"]
                }
                """#)
        ),
        (
            "ConnectEndOfStream",
            .parsed(
                #"""
                {
                  "type": "object",
                  "description": "The last message of a stream, whose envelope has the flag 2. Without an error the stream ended in order.",
                  "properties": {
                    "error": {"$ref": "#/components/schemas/ConnectError"},
                    "metadata": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
                  }
                }
                """#)
        ),
    ]
}
