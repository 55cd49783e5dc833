import AssayAPI
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP

@Suite("Reflection")
struct ReflectionTests {
    private let reflection = Reflection()

    private typealias File = Google_Protobuf_FileDescriptorProto

    /// A `ServerReflectionRequest` with one text.
    private static func request(_ field: UInt8, _ text: String) -> [UInt8] {
        let length = text.utf8.count
        let head: [UInt8] = length < 128 ? [UInt8(length)] : [UInt8(length & 127) | 128, UInt8(length >> 7)]
        return [field << 3 | 2] + head + Array(text.utf8)
    }

    /// A `ServerReflectionResponse`, read by SwiftProtobuf's reader of unknown fields.
    private struct Response {
        var host = ""
        var request: [UInt8]?
        var files: [File] = []
        var extensions: (type: String, numbers: Int)?
        var services: [String]?
        var error: (code: UInt64, message: String)?
        var answers = 0

        init(_ bytes: [UInt8]) throws {
            for (number, value) in try Fields(bytes).all {
                let content = value.bytes
                switch number {
                case 1: host = String(decoding: content, as: UTF8.self)
                case 2: request = content
                case 4: files = try Fields(content).all.map { try File(serializedBytes: $0.value.bytes) }
                case 5:
                    let fields = try Fields(content).all
                    extensions = (String(decoding: fields.first?.value.bytes ?? [], as: UTF8.self), fields.count - 1)
                case 6:
                    services = try Fields(content).all.map { service in
                        String(decoding: try Fields(service.value.bytes).all.first?.value.bytes ?? [], as: UTF8.self)
                    }
                case 7:
                    let fields = try Fields(content).all
                    error = (fields.first?.value.number ?? 0, String(decoding: fields.last?.value.bytes ?? [], as: UTF8.self))
                default: Issue.record("field \(number)")
                }
                if number > 2 { answers += 1 }
            }
        }
    }

    /// The fields of a message, read by hand: varints and length-delimited ones.
    private struct Fields {
        private(set) var all: [(number: Int, value: (bytes: [UInt8], number: UInt64))] = []
        struct Malformed: Error {}

        init(_ bytes: [UInt8]) throws {
            var rest = bytes[...]
            func varint() throws -> UInt64 {
                var (value, shift): (UInt64, UInt64) = (0, 0)
                while let byte = rest.popFirst() {
                    value |= UInt64(byte & 127) << shift
                    if byte < 128 { return value }
                    shift += 7
                }
                throw Malformed()
            }
            while !rest.isEmpty {
                let key = try varint()
                let value = try varint()
                switch key & 7 {
                case 0: all.append((Int(key >> 3), ([], value)))
                case 2:
                    guard value <= rest.count else { throw Malformed() }
                    all.append((Int(key >> 3), (Array(rest.prefix(Int(value))), value)))
                    rest = rest.dropFirst(Int(value))
                default: throw Malformed()
                }
            }
        }
    }

    private func ask(_ field: UInt8, _ text: String) throws -> Response {
        let response = try Response(try reflection.answer(Self.request(field, text)))
        #expect(response.answers == 1 && response.request == Self.request(field, text))
        return response
    }

    @Test(
        "A file comes by its name, with all files that it imports, itself first and each once",
        arguments: [
            (
                "assay/v1/attestation.proto",
                [
                    "assay/v1/evidence.proto", "assay/v1/results.proto", "assay/v1/verdict.proto", "assay/v1/confidence.proto",
                ]
            ),
            ("assay/v1/evidence.proto", []), ("grpc/health/v1/health.proto", []),
            ("grpc/reflection/v1/reflection.proto", []), ("grpc/reflection/v1alpha/reflection.proto", []),
        ])
    func file(_ name: String, _ imports: [String]) throws {
        let names = try ask(3, name).files.map(\.name)
        #expect(names.first == name)
        #expect(names.count == Set(names).count)
        let others = Set(names.dropFirst())
        #expect(others == Set(imports))
    }

    @Test("Every file comes with all that it needs")
    func complete() throws {
        for bytes in DescriptorIndex.current.files {
            let file = try File(serializedBytes: bytes)
            let files = try ask(3, file.name).files
            let names = Set(files.map(\.name))
            for file in files { #expect(names.isSuperset(of: file.dependency), "\(file.name)") }
            #expect(names.count == files.count)
            #expect(files.first == file)
        }
    }

    @Test(
        "The file of a symbol comes by its full name",
        arguments: [
            ("assay.v1.Attestation", "assay/v1/attestation.proto"),
            ("assay.v1.Attestation.Verify", "assay/v1/attestation.proto"),
            ("assay.v1.VerifyRequest", "assay/v1/attestation.proto"),
            ("assay.v1.VerifyRequest.app", "assay/v1/attestation.proto"),
            ("assay.v1.StatusResponse.Attention", "assay/v1/operations.proto"),
            ("assay.v1.StatusResponse.Attention.code", "assay/v1/operations.proto"),
            ("assay.v1.StatusResponse.Certificate.Use", "assay/v1/operations.proto"),
            ("grpc.health.v1.Health", "grpc/health/v1/health.proto"),
            ("grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto"),
            ("grpc.health.v1.HealthCheckResponse.SERVICE_UNKNOWN", "grpc/health/v1/health.proto"),
            ("grpc.health.v1.HealthListResponse.StatusesEntry.value", "grpc/health/v1/health.proto"),
            ("grpc.reflection.v1.ServerReflection.ServerReflectionInfo", "grpc/reflection/v1/reflection.proto"),
            ("grpc.reflection.v1.ServerReflectionRequest.message_request", "grpc/reflection/v1/reflection.proto"),
            ("grpc.reflection.v1alpha.ErrorResponse.error_code", "grpc/reflection/v1alpha/reflection.proto"),
        ])
    func symbol(_ name: String, _ file: String) throws {
        #expect(try ask(4, name).files.first?.name == file)
    }

    @Test("Every message, enumeration and value of the API, and every method, is found")
    func everySymbol() throws {
        let schema = APISchema.current
        var names =
            schema.messages.map(\.name)
            + schema.messages.flatMap { message in
                message.fields.map { "\(message.name).\($0.name)" }
            }
        for enumeration in schema.enumerations {
            let scope = enumeration.name.split(separator: ".").dropLast().joined(separator: ".")
            names += [enumeration.name] + enumeration.values.map { "\(scope).\($0.name)" }
        }
        names += MethodDeclaration.all.map { String($0.path.dropFirst().map { $0 == "/" ? "." : $0 }) }
        #expect(names.count > 500)
        let missing = names.filter { DescriptorIndex.current.files(containing: Array($0.utf8)) == nil }
        #expect(missing.isEmpty)
    }

    @Test(
        "What is not declared is answered NOT_FOUND, in an answer",
        arguments: [
            (3, "nothing.proto"), (3, ""), (3, "assay/v1/Attestation.proto"), (3, "/assay/v1/attestation.proto"),
            (4, "nothing"), (4, ""), (4, "assay.v1"), (4, ".assay.v1.Attestation"), (4, "assay.v1.Attestation.verify"),
            (4, "assay.v1.Attestation/Verify"), (4, "assay.v1.VerifyRequest.nothing"), (4, "assay.v1.\u{212A}eys"),
            (4, String(repeating: "a", count: 10_000)), (6, "nothing"), (6, "assay.v1.Attestation"),
            (6, "assay.v1.VerifyRequest.app"),
        ] as [(UInt8, String)])
    func notFound(_ field: UInt8, _ text: String) throws {
        let response = try ask(field, text)
        #expect(response.error?.code == 5)
        #expect(response.error?.message.isEmpty == false)
    }

    @Test("A message has no extensions, and an extension is not found")
    func extensions() throws {
        let numbers = try ask(6, "assay.v1.VerifyRequest").extensions
        #expect(numbers?.type == "assay.v1.VerifyRequest" && numbers?.numbers == 0)
        let content = Self.request(1, "assay.v1.VerifyRequest") + [0x10, 7]
        let one = try Response(try reflection.answer([0x2A, UInt8(content.count)] + content))
        #expect(one.error?.code == 5 && one.answers == 1)
    }

    @Test("The services that are served are listed in the order of their names")
    func services() throws {
        let all = try #require(try ask(7, "").services)
        #expect(all == all.sorted() && Set(all) == Set(Reflection.services))
        #expect(all.contains("assay.v1.Attestation") && all.contains("grpc.health.v1.Health"))
        #expect(all.contains("grpc.reflection.v1.ServerReflection") && all.contains("grpc.reflection.v1alpha.ServerReflection"))
        let some = Reflection(services: ["b.B", "a.A"])
        #expect(try Response(try some.answer(Self.request(7, "*"))).services == ["a.A", "b.B"])
        #expect(try Response(try Reflection(services: []).answer(Self.request(7, "*"))).services == [])
    }

    @Test("Every service that is listed by default is declared by a file")
    func listed() {
        for service in Reflection.services {
            #expect(DescriptorIndex.current.files(containing: Array(service.utf8)) != nil, "\(service)")
        }
    }

    @Test("The host and the request come back")
    func host() throws {
        let request = Self.request(1, "é.example") + Self.request(3, "nothing.proto") + [0x78, 5]
        let response = try Response(try reflection.answer(request))
        #expect(response.host == "é.example" && response.request == request)
    }

    @Test("Of several questions the last one counts")
    func lastQuestion() throws {
        let request = Self.request(3, "assay/v1/attestation.proto") + Self.request(7, "")
        let response = try Response(try reflection.answer(request))
        #expect(response.services != nil && response.files.isEmpty && response.answers == 1)
    }

    @Test(
        "A request without a question that is known is answered INVALID_ARGUMENT, in an answer",
        arguments: [[], [0x4A, 0], [0x0A, 1, 0x61]] as [[UInt8]])
    func noQuestion(_ request: [UInt8]) throws {
        let response = try Response(try reflection.answer(request))
        #expect(response.error?.code == 3 && response.answers == 1 && response.request == request)
    }

    @Test(
        "Bytes that are no request are refused",
        arguments: [
            [0x1A], [0x1A, 5, 0x61], [0x1A, 1, 0xFF], [0x0A, 1, 0xC3], [0x22, 2, 0xC3, 0x28], [0x2A, 1, 0x0A],
            [0x2A, 3, 0x0A, 1, 0xFF], [0x3A, 1, 0x80], [0x1B], [0, 0], [0x1A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        ] as [[UInt8]])
    func malformed(_ request: [UInt8]) {
        #expect(throws: RPCError.undecodableMessage) { try reflection.answer(request) }
    }

    @Test("An answer is not longer than the request and the files")
    func bound() throws {
        let all = DescriptorIndex.current.files.reduce(0) { $0 + $1.count }
        #expect(all < 512 << 10)
        for bytes in DescriptorIndex.current.files {
            let request = Self.request(3, try File(serializedBytes: bytes).name)
            let answer = try reflection.answer(request)
            #expect(answer.count < all + request.count + 1024)
        }
    }
}

@Suite("Descriptors of gRPC's own services")
struct StandardDescriptorTests {
    private static let files = StandardDescriptors.files.compactMap {
        try? Google_Protobuf_FileDescriptorProto(serializedBytes: $0)
    }

    @Test("The files are of proto3, and import those before them")
    func files() {
        #expect(
            Self.files.map(\.name) == [
                "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto",
                "grpc/reflection/v1alpha/reflection.proto", "google/protobuf/duration.proto", "google/rpc/error_details.proto",
            ])
        #expect(
            Self.files.map(\.package) == [
                "grpc.health.v1", "grpc.reflection.v1", "grpc.reflection.v1alpha", "google.protobuf", "google.rpc",
            ])
        #expect(Self.files.allSatisfy { $0.syntax == "proto3" })
        for (index, file) in Self.files.enumerated() {
            #expect(Set(file.dependency).isSubset(of: Self.files[..<index].map(\.name)), "\(file.name)")
        }
    }

    @Test("Every type that a field or a method refers to is declared in the file or its imports, and every number stands once")
    func references() {
        var imported: Set<String> = []
        for file in Self.files {
            let messages = file.messageType + file.messageType.flatMap(\.nestedType)
            let enumerations = file.messageType.flatMap { message in message.enumType.map { "\(message.name).\($0.name)" } }
            let nested = file.messageType.flatMap { message in message.nestedType.map { "\(message.name).\($0.name)" } }
            let own = Set((file.messageType.map(\.name) + nested + enumerations).map { ".\(file.package).\($0)" })
            let names = own.union(file.dependency.isEmpty ? [] : imported)
            imported.formUnion(own)
            for message in messages {
                #expect(Set(message.field.map(\.number)).count == message.field.count, "\(message.name)")
                for field in message.field where !field.typeName.isEmpty { #expect(names.contains(field.typeName)) }
                for field in message.field where field.hasOneofIndex {
                    #expect(message.oneofDecl.indices.contains(Int(field.oneofIndex)))
                }
            }
            for method in file.service.flatMap(\.method) {
                #expect(names.contains(method.inputType) && names.contains(method.outputType))
            }
        }
    }

    @Test("Watch sends a stream, reflection is a stream on both sides, and Check and List are neither")
    func streams() {
        let methods = Self.files.flatMap(\.service).flatMap(\.method)
        let kinds = methods.map { "\($0.name) \($0.clientStreaming) \($0.serverStreaming)" }
        let info = "ServerReflectionInfo true true"
        #expect(kinds == ["Check false false", "List false false", "Watch false true", info, info])
    }

    @Test("Health's methods are those that are served")
    func served() {
        let declared = Self.files.prefix(1).flatMap { file in
            file.service.flatMap { service in service.method.map { "/\(file.package).\(service.name)/\($0.name)" } }
        }
        #expect(declared == HealthRegister().methods.map(\.path))
    }
}
