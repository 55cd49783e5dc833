import SwiftProtobuf
import Testing

@testable import AssayAPI

@Suite("Schema of the API")
struct APISchemaTests {
    private let schema = APISchema.current

    @Test("has the messages of every declared method", arguments: API.all.map(\.path))
    func messages(_ path: String) throws {
        let method = try #require(API.all.first { $0.path == path })
        func names<Method: APIMethod>(_ method: Method) -> [String] {
            [Method.Request.protoMessageName, Method.Response.protoMessageName]
        }
        for name in names(method) { #expect(schema[message: name]?.name == name) }
    }

    @Test("has the comment of every method, and of every service")
    func commented() {
        let comments = SchemaComments.current
        for method in MethodDeclaration.all {
            let service = method.path.dropFirst().prefix { $0 != "/" }
            #expect(!comments[method.path].isEmpty, "\(method.path)")
            #expect(!comments[String(service)].isEmpty, "\(service)")
        }
        #expect(API.whoAmI.comment == comments["assay.v1.Operations.WhoAmI"])
        #expect(
            comments["assay.v1.VerifyRequest.challenge"]
                == "As issued. Empty with a caller-owned binding, and for evidence that needs no challenge.")
        #expect(comments["assay.v1.VerifyRequest.purpose"] == "REGISTER or ASSERT.")
        #expect(comments["/assay.v1.Attestation/Unknown"].isEmpty && comments[""].isEmpty)
    }

    @Test("has a field's names, number, type, and what it is a choice of")
    func fields() throws {
        let request = try #require(schema[message: "assay.v1.VerifyRequest"])
        #expect(request.fields.map(\.number) == Array(1...14) && request.choices.isEmpty)
        let evidence = request.fields[4]
        #expect(evidence.name == "evidence" && evidence.count == .repeated && evidence.choice == nil)
        guard case .message(let position) = evidence.kind else {
            Issue.record("evidence is a message")
            return
        }
        let kinds = schema.messages[position]
        #expect(kinds.name == "assay.v1.Evidence" && kinds.choices == ["kind"])
        #expect(kinds.fields[1].name == "app_attest_assertion" && kinds.fields[1].jsonName == "appAttestAssertion")
        #expect(kinds.fields.allSatisfy { $0.choice == 0 && $0.count == .single })
        guard case .enumeration(let purpose) = request.fields[1].kind else {
            Issue.record("the purpose is an enumeration")
            return
        }
        let values = schema.enumerations[purpose]
        #expect(values.name == "assay.v1.Purpose" && values.values.first?.number == 0)
        // With and without the enumeration's name, a name is that of one value.
        for enumeration in schema.enumerations {
            for value in enumeration.values {
                #expect(enumeration.value(named: value.spelling[...]) == value, "\(enumeration.name) \(value.name)")
                #expect(enumeration.value(named: value.shortSpelling[...]) == value, "\(enumeration.name) \(value.name)")
            }
        }
        #expect(values.value(named: Array("ASSERT".utf8)[...])?.number == Int32(Assay_V1_Purpose.assert.rawValue))
        #expect(values.value(named: Array("PURPOSE_ASSERT".utf8)[...])?.number == Int32(Assay_V1_Purpose.assert.rawValue))
        #expect(values.value(1_000_000) == nil)
        let metrics = try #require(schema[message: "assay.v1.Plugin"]?.fields.first { $0.name == "metrics" })
        #expect(metrics.count == .map && metrics.kind == .double)
    }

    @Test("finds a field by either of its names and by its number, wherever it is expected")
    func positions() throws {
        let request = try #require(schema[message: "assay.v1.VerifyRequest"])
        for (position, field) in request.fields.enumerated() {
            for next in [0, position, request.fields.count] {
                #expect(request.position(named: Array(field.name.utf8)[...], next: next) == position)
                #expect(request.position(named: Array(field.jsonName.utf8)[...], next: next) == position)
                #expect(request.position(numbered: field.number, next: next) == position)
            }
        }
        for name in ["", "App", "app ", "ap", "apps", "idempotency-key"] {
            #expect(request.position(named: Array(name.utf8)[...], next: 0) == nil)
        }
        #expect(request.position(numbered: 15, next: 14) == nil)
    }

    @Test("has the files, each behind those that it imports")
    func files() throws {
        var seen: Set<String> = []
        for bytes in schema.files {
            let file = try Google_Protobuf_FileDescriptorProto(serializedBytes: bytes)
            #expect(seen.isSuperset(of: file.dependency), "\(file.name)")
            seen.insert(file.name)
        }
        #expect(seen.count == schema.files.count && seen.contains("assay/v1/attestation.proto"))
    }

    // MARK: Descriptors that are none

    private func defect(_ change: (inout Google_Protobuf_DescriptorProto) -> Void) throws -> String? {
        var message = Google_Protobuf_DescriptorProto()
        message.name = "Sample"
        change(&message)
        let set = Google_Protobuf_FileDescriptorSet.with { set in
            set.file = [
                .with {
                    $0.package = "sample.v1"
                    $0.messageType = [message]
                }
            ]
        }
        do throws(SchemaDefect) {
            _ = try APISchema(descriptors: bytes(of: set))
            return nil
        } catch {
            return error.description
        }
    }

    private func bytes(of set: Google_Protobuf_FileDescriptorSet) -> [UInt8] { (try? set.serializedBytes()) ?? [] }

    private func field(_ name: String, _ type: Google_Protobuf_FieldDescriptorProto.TypeEnum)
        -> Google_Protobuf_FieldDescriptorProto
    {
        .with { ($0.name, $0.jsonName, $0.number, $0.type, $0.label) = (name, name, 1, type, .optional) }
    }

    @Test("is read of other files too, where a field without a name in JSON has the usual one")
    func otherFiles() throws {
        let names = ["service", "key_id", "expires_at_unix_ms", "with_2_digits"]
        let file = Google_Protobuf_FileDescriptorProto.with { file in
            file.package = "sample.v1"
            let fields = names.map { name in field(name, .string) }
            file.messageType = [.with { ($0.name, $0.field) = ("Sample", fields) }]
            for index in names.indices {
                file.messageType[0].field[index].clearJsonName()
                file.messageType[0].field[index].number = Int32(index + 1)
            }
        }
        let schema = try #require(APISchema(files: [try file.serializedBytes()]))
        let message = try #require(schema[message: "sample.v1.Sample"])
        #expect(message.fields.map(\.jsonName) == ["service", "keyId", "expiresAtUnixMs", "with2Digits"])
        #expect(APISchema(files: [[0x0A, 0x05, 0x00]]) == nil)
    }

    @Test("is refused where a field has a type that no reader knows, rather than read in part")
    func defects() throws {
        #expect(try defect { _ in } == nil)
        #expect(try defect { $0.field = [field("a", .string), field("b", .double)] } == nil)
        #expect(try defect { $0.field = [field("a", .float)] } == "a has a type that is not read")
        #expect(try defect { $0.field = [field("a", .sint64)] } != nil)
        #expect(try defect { $0.field = [field("a", .group)] } != nil)
        #expect(try defect { $0.field = [field("a", .message)] } != nil, "a message that is not there")
        #expect(try defect { $0.field = (0...MessageSchema.fieldLimit).map { field("f\($0)", .bool) } } != nil)
        #expect(
            try defect { message in
                message.nestedType = [
                    .with {
                        $0.name = "Entry"
                        $0.options.mapEntry = true
                        $0.field = [field("key", .int32), field("value", .string)]
                    }
                ]
                var map = field("map", .message)
                (map.label, map.typeName) = (.repeated, ".sample.v1.Sample.Entry")
                message.field = [map]
            } == "the keys of map are not texts")
        #expect(throws: SchemaDefect.self) { try APISchema(descriptors: [0x0A, 0x05, 0x00]) }
    }
}
