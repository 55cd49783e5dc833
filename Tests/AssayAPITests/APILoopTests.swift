import AssayCore
import SwiftProtobuf
import Testing

@testable import AssayAPI

/// What a front makes of all methods, made in loops over `API.all`: a method costs no line in any front.
@Suite("Loops over the methods")
struct APILoopTests {
    private let schema = APISchema.current

    // MARK: A document of the interface

    /// The members of an OpenAPI 3.1 document that name something: paths, the messages of each, the types of each field.
    private struct Document {
        var paths: [String: (summary: String, request: String, response: String)] = [:]
        /// By the full name of the message or enumeration, all the names that its fields refer to.
        var components: [String: [String]] = [:]
    }

    private func document() throws -> Document {
        var document = Document()
        for method in API.all {
            let json = try #require(method.json)
            document.paths[method.declaration.http.path] = (method.comment, json.request.name, json.response.name)
            add(json.request, to: &document)
            add(json.response, to: &document)
        }
        return document
    }

    private func add(_ message: MessageSchema, to document: inout Document) {
        guard document.components[message.name] == nil else { return }
        document.components[message.name] = []
        for field in message.fields {
            switch field.kind {
            case .message(let position):
                document.components[message.name]?.append(schema.messages[position].name)
                add(schema.messages[position], to: &document)
            case .enumeration(let position):
                document.components[message.name]?.append(schema.enumerations[position].name)
                document.components[schema.enumerations[position].name] = []
            case .boolean, .int32, .int64, .uint32, .uint64, .double, .text, .bytes: continue
            }
        }
    }

    @Test(
        "a document of the interface has every method by its name over HTTP, says what it is for, and refers to nothing that it lacks"
    )
    func openAPI() throws {
        let document = try document()
        #expect(document.paths.count == API.all.count)
        for (path, operation) in document.paths {
            #expect(!operation.summary.isEmpty, "\(path)")
            #expect(document.components[operation.request] != nil && document.components[operation.response] != nil, "\(path)")
        }
        for (name, references) in document.components {
            for reference in references { #expect(document.components[reference] != nil, "\(name) refers to \(reference)") }
        }
        #expect(
            document.components["assay.v1.VerifyRequest"] == [
                "assay.v1.Purpose", "assay.v1.Evidence", "assay.v1.Binding", "assay.v1.ResultRequest",
                "assay.v1.VerifyRequest.Report",
            ])
        #expect(document.components["assay.v1.Purpose"] == [])
    }

    // MARK: Reflection

    @Test("reflection finds the file of every service and message, with all files that it needs before it")
    func reflection() throws {
        var files: [String: Google_Protobuf_FileDescriptorProto] = [:]
        var symbols: [String: String] = [:]
        for bytes in schema.files {
            let file = try Google_Protobuf_FileDescriptorProto(serializedBytes: bytes)
            #expect(file.dependency.allSatisfy { files[$0] != nil }, "\(file.name) comes before what it imports")
            files[file.name] = file
            for service in file.service { symbols["\(file.package).\(service.name)"] = file.name }
            for message in file.messageType { symbols["\(file.package).\(message.name)"] = file.name }
        }
        for method in API.all {
            let parts = method.path.split(separator: "/")
            let file = try #require(symbols[String(parts[0])].flatMap { files[$0] }, "\(method.path)")
            let service = try #require(file.service.first { parts[0] == "\(file.package).\($0.name)" })
            let declared = try #require(service.method.first { $0.name == parts[1] })
            let json = try #require(method.json)
            #expect(declared.inputType == ".\(json.request.name)" && declared.outputType == ".\(json.response.name)")
            #expect(symbols[json.request.name] != nil && symbols[json.response.name] != nil)
            #expect(declared.serverStreaming == (method.declaration.form == .stream))
        }
    }

    // MARK: JSON over HTTP

    @Test("an empty call and an empty answer of every method go through JSON and back")
    func calls() throws {
        for method in API.all {
            let json = try #require(method.json)
            #expect(try json.readRequest(Array("{}".utf8)[...]) == [])
            #expect(try json.writeResponse([]) == Array("{}".utf8))
        }
    }
}
