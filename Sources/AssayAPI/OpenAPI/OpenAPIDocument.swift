import AssayCore

/// The interface over HTTP as OpenAPI 3.1: the declared methods with the comments and messages of the .proto files, and what is served beside
/// them. Equal sources give equal bytes.
package enum OpenAPIDocument {
    /// On one line, as it is served.
    package static func json() -> [UInt8] { tree.text }

    /// For people: docs/openapi.yaml.
    package static func yaml() -> String {
        "# The interface over HTTP. Made from the declared methods and the .proto files by `make openapi`; do not edit.\n"
            + YAMLText.text(of: tree)
    }

    static let tree: JSONValue = tree(of: API.all.compactMap { OpenAPIOperations.Method($0) }, in: .current)

    private static func tree(of methods: [OpenAPIOperations.Method], in schema: APISchema) -> JSONValue {
        let schemas = OpenAPISchemas(of: methods.map(\.json), in: schema)
        return .members([
            "openapi": .text("3.1.0"),
            "info": .members([
                "title": .text("Assay"),
                "summary": .text("Challenges, verdicts on evidence of devices, and what belongs to them."),
                "description": .text(introduction),
                "license": .members(["name": .text("Apache License 2.0"), "identifier": .text("Apache-2.0")]),
                "version": .text(Version.text),
            ]),
            "servers": .array([.members(["url": .text("/"), "description": .text("The daemon that serves this document.")])]),
            "security": .parsed(#"[{"mutualTLS": []}, {"bearer": []}, {}]"#),
            "tags": .array(OpenAPIOperations.tags(of: methods) + [OpenAPIResources.tag]),
            "paths": .members(OpenAPIOperations.paths(of: methods) + OpenAPIResources.paths),
            "components": .members([
                "schemas": .members(schemas.components + OpenAPIErrors.schemas + OpenAPIResources.schemas),
                "responses": .members(OpenAPIErrors.responses + OpenAPIResources.responses),
                "parameters": .members(parameters + OpenAPIResources.parameters),
                "headers": .members(OpenAPIErrors.headers + OpenAPIResources.headers),
                "securitySchemes": securitySchemes,
            ]),
        ])
    }

    private static let introduction = """
        Every method is a POST of a JSON object to a path of its own. A rejection of evidence is an answer with the status 200, and no error.

        The JSON is that of protobuf: names in lower camel case, integers of 64 bits as texts, bytes as Base64 with padding, values of enumerations by \
        their names. Members that have their default value (0, false, an empty text or list, the value UNSPECIFIED or NONE) are left out of answers, unless they are a member of a choice.
        Answers may have further members, and enumerations further values, in later versions.

        Requests are read strictly: a member that is not known, one that is given twice, two members of a choice, and a value of another type are \
        `invalid_argument`. Read as well are: a member by the name that the .proto files have, `null` for a member that is left out, \
        integers as texts of their digits, a value of an enumeration by its number or without the enumeration's name (`ASSERT` for \
        `PURPOSE_ASSERT`), and bytes as base64url or without padding.

        Errors have one form (`ConnectError`), whose code says the same as the status. A request that is refused by its head is answered in it, too: with 405 where it is \
        no POST, 415, 421 where the host is not the daemon's, or 431 where the header is too long.

        The same methods are served at their gRPC paths (`x-assay-grpc-path`) to clients of gRPC, gRPC-Web and Connect, which take JSON and protobuf. \
        A method that answers by a stream is described there, in the form of Connect's streams. Health and reflection are gRPC's own services, and are not described here.
        """

    private static let parameters: [(key: String, value: JSONValue?)] = [
        (
            "ConnectTimeout",
            .parsed(
                #"""
                {
                  "name": "Connect-Timeout-Ms", "in": "header",
                  "description": "How long the caller waits, in milliseconds. Work that was not begun by then is not begun.",
                  "schema": {"type": "integer", "minimum": 0, "maximum": 9999999999}
                }
                """#)
        ),
        (
            "IdempotencyKey",
            .parsed(
                #"""
                {
                  "name": "Idempotency-Key", "in": "header",
                  "description": "The member `idempotencyKey` of the request, as text of at most 64 bytes. A request that has the member, too, must have the same there.",
                  "schema": {"type": "string", "maxLength": 64}
                }
                """#)
        ),
        (
            "TraceParent",
            .parsed(
                #"""
                {
                  "name": "traceparent", "in": "header",
                  "description": "The trace that the call belongs to (W3C Trace Context).",
                  "schema": {"type": "string"}
                }
                """#)
        ),
    ]

    private static let securitySchemes: JSONValue = .parsed(
        #"""
        {
          "mutualTLS": {
            "type": "mutualTLS",
            "description": "A certificate whose URI or DNS name the configuration knows as a caller's. A caller at a Unix socket is known by its user, and shows nothing."
          },
          "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key: `assay_` and 43 characters, over TLS or at a Unix socket."
          }
        }
        """#)
}
