import AssayCore
import Testing

@testable import AssayAPI

/// The schemas, held against the reader and the writer of the methods' JSON.
@Suite("Schemas of the OpenAPI document")
struct OpenAPISchemaTests {
    private let check = SchemaCheck()
    private let schemas = OpenAPIDocument.tree["components"]?["schemas"] ?? .null

    private static let paths = MethodDeclaration.all.map(\.path)

    private func json(_ path: String) throws -> MethodJSON {
        let method = try #require(API.all.first { $0.path == path })
        return try #require(method.json)
    }

    private func schema(_ message: MessageSchema) throws -> JSONValue {
        try #require(schemas[OpenAPISchemas.name(message.name)], "\(message.name)")
    }

    /// The messages that one is made of, itself included.
    private func parts(of message: MessageSchema) -> [MessageSchema] {
        var found = [message]
        var index = 0
        while index < found.count {
            for case .message(let position) in found[index].fields.map(\.kind) {
                let part = APISchema.current.messages[position]
                if !found.contains(where: { $0 === part }) { found.append(part) }
            }
            index += 1
        }
        return found
    }

    @Test("have every message and enumeration of every method, with all fields and values", arguments: paths)
    func complete(_ path: String) throws {
        let json = try json(path)
        for message in parts(of: json.request) + parts(of: json.response) {
            let schema = try schema(message)
            #expect((schema["properties"]?.names ?? []) == message.fields.map(\.jsonName), "\(message.name)")
            #expect((schema["description"]?.string ?? "") == SchemaComments.current[message.name])
            for field in message.fields {
                let property = try #require(schema["properties"]?[field.jsonName])
                #expect(
                    (property["description"]?.string ?? "") == SchemaComments.current["\(message.name).\(field.name)"],
                    "\(message.name).\(field.name)")
                guard case .enumeration(let position) = field.kind else { continue }
                let enumeration = APISchema.current.enumerations[position]
                let words = try #require(schemas[OpenAPISchemas.name(enumeration.name)])
                #expect(words["enum"]?.strings == enumeration.values.map(\.name))
            }
        }
        for message in parts(of: json.request) { #expect(try schema(message)["additionalProperties"] == .boolean(false)) }
        for message in parts(of: json.response) { #expect(try schema(message)["additionalProperties"] == nil) }
    }

    @Test("use the words of JSON Schema, with the values that these take")
    func vocabulary() {
        let types: Set = ["object", "array", "string", "integer", "number", "boolean"]
        func visit(_ schema: JSONValue, _ place: String) {
            if case .object = schema {} else { Issue.record("\(place) is no schema") }
            for member in schema.members {
                let (keyword, value) = (String(decoding: member.name, as: UTF8.self), member.value)
                let here = "\(place).\(keyword)"
                switch keyword {
                case "type":
                    let named = value.string.map { [$0] } ?? value.strings
                    #expect(!named.isEmpty && types.isSuperset(of: named), "\(here)")
                case "description", "format", "contentEncoding", "pattern", "$ref":
                    #expect(value.string?.isEmpty == false, "\(here)")
                case "minimum", "maximum": #expect(value.number != nil, "\(here)")
                case "enum", "required":
                    #expect(!value.strings.isEmpty && Set(value.strings).count == value.elements.count, "\(here)")
                case "properties": for property in value.members { visit(property.value, here) }
                case "items", "not": visit(value, here)
                case "additionalProperties": if value != .boolean(false) { visit(value, here) }
                case "oneOf", "anyOf", "allOf":
                    #expect(value.elements.count > 1, "\(here)")
                    for element in value.elements { visit(element, here) }
                case "examples": #expect(!value.elements.isEmpty, "\(here)")
                default: Issue.record("\(here) is no word of JSON Schema that is used")
                }
            }
        }
        #expect(schemas.members.count > 100)
        for member in schemas.members { visit(member.value, String(decoding: member.name, as: UTF8.self)) }
    }

    @Test("let through every message that is written", arguments: paths)
    func written(_ path: String) throws {
        let json = try json(path)
        var random = RandomMessage(seed: 10)
        for message in [json.request, json.response] {
            let schema = try schema(message)
            for _ in 0..<10 {
                let text = try JSONMessageWriter.write(random.bytes(of: message), as: message, of: .current)
                let value = try JSONReader.parse(text[...], code: .malformed)
                #expect(check.problems(of: value, by: schema).isEmpty, "\(String(decoding: text, as: UTF8.self))")
            }
        }
    }

    @Test(
        "refuse requests that the reader refuses",
        arguments: [
            (API.verify.path, #"{"app":"photos","application":"photos"}"#),
            (API.verify.path, #"{"app":7}"#),
            (API.verify.path, #"{"purpose":"PURPOSE_UNKNOWN"}"#),
            (API.verify.path, #"{"evidence":{}}"#),
            (API.verify.path, #"{"evidence":[{"playIntegrityToken":{"token":"a"},"deviceCheckToken":{"token":""}}]}"#),
            (API.verify.path, #"{"evidence":[{"playIntegrityToken":{"jws":"a"}}]}"#),
            (API.getDevice.path, #"{"app":"photos","deviceId":"","keyId":""}"#),
            (API.issueChallenge.path, #"{"ttlMs":-1}"#),
            (API.issueChallenge.path, #"{"ttlMs":4294967296}"#),
            (API.createKey.path, #"{"lifetimeMs":"-1"}"#),
            (API.readAudit.path, #"{"from":"01"}"#),
            (API.whoAmI.path, #"{"name":"uploads"}"#),
        ])
    func refused(_ path: String, _ text: String) throws {
        let json = try json(path)
        #expect(throws: JSONMessageError.self) { try json.readRequest(Array(text.utf8)[...]) }
        let value = try JSONReader.parse(Array(text.utf8)[...], code: .malformed)
        let schema = try schema(json.request)
        #expect(!check.problems(of: value, by: schema).isEmpty)
    }

    @Test("let integers of 64 bits of requests be numbers, too")
    func numbers() throws {
        let json = try json(API.readAudit.path)
        for text in [#"{"from":1041}"#, #"{"from":"1041"}"#, #"{"from":"-1"}"#, #"{"from":0}"#] {
            _ = try json.readRequest(Array(text.utf8)[...])
            let value = try JSONReader.parse(Array(text.utf8)[...], code: .malformed)
            let schema = try schema(json.request)
            #expect(check.problems(of: value, by: schema).isEmpty, "\(text)")
        }
    }

    // MARK: Examples

    @Test("requests of the examples are read as they stand there, and answers are written so")
    func examples() throws {
        for example in OpenAPIExamples.all {
            let json = try json(example.path)
            for (message, values) in [(json.request, example.requests), (json.response, example.answers)] {
                let schema = try schema(message)
                #expect(!values.isEmpty)
                for (name, value) in values {
                    let bytes = try JSONMessageReader.read(value.text[...], as: message, of: .current)
                    let written = try JSONMessageWriter.write(bytes, as: message, of: .current)
                    #expect(String(decoding: written, as: UTF8.self) == String(decoding: value.text, as: UTF8.self))
                    #expect(check.problems(of: value, by: schema).isEmpty, "\(example.path) \(name)")
                }
            }
        }
    }

    @Test("the examples are those of different methods, and stand in the document")
    func places() throws {
        let paths = OpenAPIExamples.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        for method in [
            API.issueChallenge.path, API.verify.path, API.prepare.path, API.getDevice.path, API.whoAmI.path,
            API.beginUpload.path, API.putChunks.path, API.finalizeUpload.path, API.getUpload.path, API.abortUpload.path,
        ] {
            #expect(paths.contains(method), "\(method)")
        }
        let verify = OpenAPIDocument.tree["paths"]?["/v1/attestation/verify"]?["post"]
        let request = verify?["requestBody"]?["content"]?["application/json"]?["examples"]?["request"]?["value"]
        #expect(request == OpenAPIExamples.by(path: API.verify.path)?.requests.first?.value && request != nil)
        let answers = verify?["responses"]?["200"]?["content"]?["application/json"]?["examples"]
        #expect(answers?.names == ["accepted", "rejected"])
    }

    @Test("the example of Verify is a request that keeps the rules of the API")
    func verify() throws {
        let example = try #require(OpenAPIExamples.by(path: API.verify.path)?.requests.first?.value)
        let bytes = try json(API.verify.path).readRequest(example.text[...])
        let request = try #require(try VerificationRequest(serialized: bytes))
        #expect(request.purpose == .assert && request.evidence.map(\.format) == [.appAttestAssertion])
        #expect(request.idempotencyKey == Array("upload-1001".utf8))
    }
}
