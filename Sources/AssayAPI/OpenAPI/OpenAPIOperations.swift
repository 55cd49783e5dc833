import AssayCore

/// The declared methods as operations.
enum OpenAPIOperations {
    /// A method with the JSON of its messages.
    struct Method {
        let declaration: MethodDeclaration
        let json: MethodJSON
        let comment: String

        /// `nil` only if the embedded .proto files do not have the messages, which a test excludes.
        init?(_ method: some APIMethod) {
            guard let json = method.json else { return nil }
            (declaration, self.json, comment) = (method.declaration, json, method.comment)
        }

        /// The service and the method: `Attestation`, `Verify`.
        private var names: (service: String, method: String) {
            let parts = declaration.path.split(separator: "/")
            let service = parts.first?.split(separator: ".").last
            return (service.map { String($0) } ?? "", parts.last.map { String($0) } ?? "")
        }

        /// The service as tags have it: `Attestation`.
        var tag: String { names.service }
        /// As documents name the method: `Attestation.Verify`.
        var name: String { "\(names.service).\(names.method)" }
        /// `attestationVerify`.
        var operation: String { names.service.prefix(1).lowercased() + names.service.dropFirst() + names.method }
        /// The service's full name: `assay.v1.Attestation`.
        var service: String { declaration.path.split(separator: "/").first.map { String($0) } ?? "" }

        /// The path in the document. Streams are called by the gRPC path, as Connect's clients do.
        var path: String { declaration.form == .stream ? declaration.path : declaration.http.path }
    }

    /// The operation of each method by its path.
    static func paths(of methods: [Method]) -> [(key: String, value: JSONValue?)] {
        methods.map { method in
            let operation =
                switch method.declaration.form {
                case .unary, .batch: call(method)
                case .stream: stream(method)
                }
            return (method.path, .members([HTTPName.verb.lowercased(): operation]))
        }
    }

    /// The services, in the order of their first methods.
    static func tags(of methods: [Method]) -> [JSONValue] {
        var seen: Set<String> = []
        return methods.filter { seen.insert($0.tag).inserted }.map {
            .members(["name": .text($0.tag), "description": .text(SchemaComments.current[$0.service])])
        }
    }

    private static func call(_ method: Method) -> JSONValue {
        let example = OpenAPIExamples.by(path: method.declaration.path)
        let hasKey = method.json.request.fields.contains { $0.name == "idempotency_key" }
        let ok = JSONValue.members([
            "description": .text("The answer."),
            "content": content("application/json", OpenAPISchemas.reference(method.json.response.name), example?.answers),
        ])
        return .members(
            head(of: method) + [
                ("parameters", parameters(ofAll + (hasKey ? ["IdempotencyKey"] : []))),
                (
                    "requestBody",
                    .members([
                        "required": .boolean(true),
                        "content": content(
                            "application/json", OpenAPISchemas.reference(method.json.request.name), example?.requests),
                    ])
                ),
                ("responses", .members([("200", ok)] + OpenAPIErrors.references)),
            ])
    }

    private static func stream(_ method: Method) -> JSONValue {
        let type = "application/connect+json"
        let example = OpenAPIExamples.by(path: method.declaration.path)
        let items = JSONValue.members([
            "anyOf": .array([
                OpenAPISchemas.reference(method.json.response.name), OpenAPISchemas.reference("ConnectEndOfStream"),
            ])
        ])
        let ok = JSONValue.members([
            "description": .text(
                """
                A stream. Each message has an envelope before it: a byte of flags, and its length as 4 bytes, big-endian. The schema is that of \
                one message; the last one, whose flags have the bit 2, is `ConnectEndOfStream`, which has the error if there is one.
                """),
            "content": content(type, items, example?.answers),
        ])
        return .members(
            head(of: method) + [
                ("parameters", parameters(ofAll)),
                (
                    "requestBody",
                    .members([
                        "required": .boolean(true),
                        "description": .text("One message in an envelope: 5 bytes before the JSON, the first of them 0."),
                        "content": content(type, OpenAPISchemas.reference(method.json.request.name), example?.requests),
                    ])
                ),
                (
                    "responses",
                    .members([("200", ok)] + OpenAPIErrors.references.filter { $0.key == "415" })
                ),
            ])
    }

    /// The parameters of every method.
    private static let ofAll = ["ConnectTimeout", "TraceParent"]

    private static func parameters(_ names: [String]) -> JSONValue {
        .array(names.map { .members(["$ref": .text("#/components/parameters/\($0)")]) })
    }

    /// What every operation says of its method.
    private static func head(of method: Method) -> [(key: String, value: JSONValue?)] {
        let declaration = method.declaration
        return [
            ("operationId", .text(method.operation)),
            ("tags", .texts([method.tag])),
            ("summary", .text(method.name)),
            ("description", .text(method.comment + "\n\n" + terms(of: declaration))),
            ("x-assay-grpc-path", .text(declaration.path)),
            ("x-assay-roles", .texts(roles(of: declaration))),
            ("x-assay-idempotency", .text(word(for: declaration.idempotency))),
        ]
    }

    private static func roles(of declaration: MethodDeclaration) -> [String] {
        Role.allCases.filter(declaration.roles.contains).map(\.rawValue)
    }

    /// Who may call a method, and whether a call may be repeated, in sentences.
    private static func terms(of declaration: MethodDeclaration) -> String {
        let names = roles(of: declaration)
        let roles =
            names.count == Role.allCases.count
            ? "Any role." : "Role: " + names.map { "`\($0)`" }.joined(separator: " or ") + "."
        let apps = declaration.concernsAllApps ? " Only callers of all apps." : ""
        let repeating =
            switch declaration.idempotency {
            case .idempotent: " A call may be repeated."
            case .idempotentWithKey: " A call with an idempotency key may be repeated."
            case .notIdempotent: " A call whose answer did not arrive may have been made: do not repeat it unseen."
            }
        return roles + apps + repeating
    }

    private static func word(for idempotency: Idempotency) -> String {
        switch idempotency {
        case .idempotent: "idempotent"
        case .idempotentWithKey: "idempotent_with_key"
        case .notIdempotent: "not_idempotent"
        }
    }

    /// A body of one media type.
    ///
    /// - Parameter examples: by their names; `nil` or none: without.
    private static func content(
        _ type: String, _ schema: JSONValue, _ examples: [(name: String, value: JSONValue)]?
    ) -> JSONValue {
        let examples = (examples ?? []).map { (key: $0.name, value: JSONValue?.some(.members(["value": $0.value]))) }
        return .members([
            (type, .members(["schema": schema, "examples": examples.isEmpty ? nil : .members(examples)]))
        ])
    }
}
