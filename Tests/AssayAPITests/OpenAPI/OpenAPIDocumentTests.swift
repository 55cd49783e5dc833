import AssayCore
import Foundation
import Testing

@testable import AssayAPI

@Suite("OpenAPI document")
struct OpenAPIDocumentTests {
    private let document = OpenAPIDocument.tree

    /// What stands at a path of names.
    private func part(_ names: String...) throws -> JSONValue {
        try names.reduce(document) { value, name in try #require(value[name], "\(names)") }
    }

    /// Every operation, with its path and its verb.
    private func operations() throws -> [(place: String, operation: JSONValue)] {
        try part("paths").members.flatMap { path in
            path.value.members.filter { !$0.name.elementsEqual("parameters".utf8) }.map { verb in
                (String(decoding: verb.name + [0x20] + path.name, as: UTF8.self), verb.value)
            }
        }
    }

    /// Calls the body with each object of a value, and the names on the way to it.
    private func visit(_ value: JSONValue, _ path: [String] = [], _ body: ([String], JSONValue) -> Void) {
        switch value {
        case .object(let object):
            body(path, value)
            for member in object.members { visit(member.value, path + [String(decoding: member.name, as: UTF8.self)], body) }
        case .array(let elements):
            for (index, element) in elements.enumerated() { visit(element, path + [String(index)], body) }
        default: break
        }
    }

    // MARK: Whole

    @Test("has a path for every declared method, and the paths that are no methods")
    func paths() throws {
        var expected = MethodDeclaration.all.map { $0.form == .stream ? $0.path : $0.http.path }
        expected += [
            "/openapi.json", "/.well-known/jwks.json", "/.well-known/assay-issuer", "/simulated/.well-known/jwks.json",
            "/simulated/.well-known/assay-issuer", "/v1/authorities/{name}.cer", "/v1/authorities/{name}.crl",
            "/v1/status/{list}",
            "/simulated/v1/status/{list}", "/v1/authorize",
        ]
        #expect(try part("paths").names.sorted() == expected.sorted())
        for declaration in MethodDeclaration.all where declaration.form != .stream {
            let operation = try part("paths", declaration.http.path, "post")
            #expect(operation["x-assay-grpc-path"]?.string == declaration.path)
            #expect(Set(operation["x-assay-roles"]?.strings ?? []) == Set(declaration.roles.map(\.rawValue)))
            let ok = try #require(operation["responses"]?["200"]?["content"]?["application/json"]?["schema"])
            #expect(ok["$ref"]?.string?.hasPrefix("#/components/schemas/") == true)
        }
    }

    @Test("describes a method that answers by a stream in the form of Connect's streams")
    func stream() throws {
        let operation = try part("paths", API.watch.path, "post")
        let type = "application/connect+json"
        #expect(operation["requestBody"]?["content"]?.names == [type])
        let items = operation["responses"]?["200"]?["content"]?[type]?["schema"]?["anyOf"]?.elements ?? []
        #expect(
            items.map { $0["$ref"]?.string } == [
                "#/components/schemas/WatchItem", "#/components/schemas/ConnectEndOfStream",
            ])
    }

    @Test("says something of every operation, and gives each a name of its own and a declared tag")
    func described() throws {
        let tags = try part("tags").elements
        #expect(tags.allSatisfy { $0["description"]?.string?.isEmpty == false })
        let names = tags.compactMap { $0["name"]?.string }
        var used: Set<String> = []
        var identifiers: [String] = []
        for (place, operation) in try operations() {
            for member in ["operationId", "summary", "description"] {
                #expect(operation[member]?.string?.isEmpty == false, "\(place) \(member)")
            }
            identifiers.append(operation["operationId"]?.string ?? "")
            used.formUnion(operation["tags"]?.strings ?? [])
            let answers = operation["responses"]?.members ?? []
            #expect(!answers.isEmpty, "\(place)")
            for answer in answers {
                let whole = answer.value["$ref"]?.string.flatMap { SchemaCheck().target(of: $0) } ?? answer.value
                #expect(whole["description"]?.string?.isEmpty == false, "\(place) \(answer.name)")
            }
        }
        #expect(Set(identifiers).count == identifiers.count && identifiers.contains("attestationVerify"))
        #expect(used == Set(names) && names.count == used.count)
        let comment = API.verify.comment
        #expect(!comment.isEmpty)
        let verify = try part("paths", "/v1/attestation/verify", "post")
        #expect(verify["description"]?.string?.hasPrefix(comment) == true && verify["summary"]?.string == "Attestation.Verify")
    }

    @Test("leads each reference to something, and has nothing that no reference leads to")
    func references() throws {
        var references: Set<String> = []
        visit(document) { _, object in
            if let reference = object["$ref"]?.string { references.insert(reference) }
        }
        for reference in references { #expect(SchemaCheck().target(of: reference) != nil, "\(reference)") }
        for group in try part("components").members where !group.name.elementsEqual("securitySchemes".utf8) {
            let name = String(decoding: group.name, as: UTF8.self)
            for component in group.value.names { #expect(references.contains("#/components/\(name)/\(component)")) }
        }
        let schemes = try part("components", "securitySchemes").names
        #expect(try part("security").elements.flatMap(\.names) == schemes)
    }

    @Test("is JSON that a strict reader reads, the same each time")
    func json() throws {
        let bytes = OpenAPIDocument.json()
        #expect(try JSONReader.parse(bytes[...], code: .malformed) == document)
        #expect(document["openapi"]?.string == "3.1.0" && document["info"]?["version"]?.string == Version.text)
        #expect(bytes == OpenAPIDocument.json())
        // A text of the sources that is no JSON is null.
        visit(document) { path, object in
            for member in object.members { #expect(member.value != .null, "\(path) \(member.name)") }
        }
    }

    @Test("is in docs/openapi.yaml as the sources make it")
    func fresh() throws {
        var package = URL(filePath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        let file = try? String(contentsOf: package.appending(path: "docs/openapi.yaml"), encoding: .utf8)
        #expect(file == OpenAPIDocument.yaml(), "docs/openapi.yaml is not what the sources say: run `make openapi`")
    }

    // MARK: Errors

    @Test("every operation of a method has every status that a call can be answered with, and each code has its status")
    func errors() throws {
        let statuses = Set(OpenAPIErrors.codes.map(\.status)).union([408, 415]).map { String($0) }
        for (place, operation) in try operations() where operation["x-assay-idempotency"] != nil {
            guard operation["requestBody"]?["content"]?["application/json"] != nil else { continue }
            #expect(Set(operation["responses"]?.names ?? []) == Set(statuses + ["200"]), "\(place)")
        }
        let schema = try part("components", "schemas", "ConnectError")
        let names = OpenAPIErrors.codes.map(\.name)
        #expect(schema["properties"]?["code"]?["enum"]?.strings == names)
        let different = Set(names)
        #expect(different.count == 16)
        let example = try #require(schema["examples"]?.elements.first)
        #expect(SchemaCheck().problems(of: example, by: schema).isEmpty)
        let bare = JSONValue.members(["message": .text("no code")])
        #expect(!SchemaCheck().problems(of: bare, by: schema).isEmpty)
    }
}
