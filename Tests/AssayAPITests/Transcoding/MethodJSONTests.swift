import AssayCore
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayAPI

/// The reader and the writer of JSON, held against swift-protobuf's for every message of every method.
@Suite("JSON of methods")
struct MethodJSONTests {
    private let schema = APISchema.current

    /// A message of the API, as both see it.
    private struct Subject: CustomTestStringConvertible {
        let type: any SwiftProtobuf.Message.Type
        let testDescription: String
    }

    private static let subjects: [Subject] = {
        func types<Method: APIMethod>(_ method: Method) -> [any SwiftProtobuf.Message.Type] {
            [Method.Request.self, Method.Response.self]
        }
        var names: Set<String> = []
        return API.all.flatMap { types($0) }.filter { names.insert($0.protoMessageName).inserted }
            .map { Subject(type: $0, testDescription: $0.protoMessageName) }
    }()

    /// A value with the members of its objects in the order of their names.
    private func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { .init(name: $0.name, value: sorted($0.value)) }
                        .sorted { $0.name.lexicographicallyPrecedes($1.name) }))
        case .array(let elements): .array(elements.map(sorted))
        default: value
        }
    }

    private func value(_ text: [UInt8]) throws -> JSONValue { sorted(try JSONReader.parse(text[...], code: .malformed)) }

    @Test("every method has the JSON of its messages")
    func methods() throws {
        for method in API.all {
            func names<Method: APIMethod>(_: Method) -> [String] {
                [Method.Request.protoMessageName, Method.Response.protoMessageName]
            }
            let json = try #require(method.json)
            #expect([json.request.name, json.response.name] == names(method))
        }
        #expect(MethodJSON(request: "assay.v1.VerifyRequest", response: "assay.v1.Unknown") == nil)
    }

    @Test("a message is written as swift-protobuf writes it, but for the order of members", arguments: subjects)
    private func written(_ subject: Subject) throws {
        let message = try #require(schema[message: subject.type.protoMessageName])
        var random = RandomMessage(seed: 5, hasUnknownValues: true)
        for _ in 0..<15 {
            let bytes = random.bytes(of: message)
            let mine = try JSONMessageWriter.write(bytes, as: message, of: schema)
            let theirs: [UInt8] = try subject.type.init(serializedBytes: bytes).jsonUTF8Bytes()
            #expect(try value(mine) == value(theirs), "\(bytes)")
        }
    }

    @Test("what is written is read as the same message, and so is what swift-protobuf writes", arguments: subjects)
    private func read(_ subject: Subject) throws {
        let message = try #require(schema[message: subject.type.protoMessageName])
        var random = RandomMessage(seed: 6)
        for _ in 0..<15 {
            let original = try subject.type.init(serializedBytes: random.bytes(of: message))
            let canonical: [UInt8] = try original.serializedBytes()
            let theirs: [UInt8] = try original.jsonUTF8Bytes()
            for text in [try JSONMessageWriter.write(canonical, as: message, of: schema), theirs] {
                let read = try JSONMessageReader.read(text[...], as: message, of: schema)
                #expect(try original.isEqualTo(message: subject.type.init(serializedBytes: read)))
            }
        }
    }

    @Test("of a text, a part is refused wherever it ends", arguments: subjects)
    private func prefixes(_ subject: Subject) throws {
        let message = try #require(schema[message: subject.type.protoMessageName])
        var random = RandomMessage(seed: 7)
        let text = try JSONMessageWriter.write(random.bytes(of: message), as: message, of: schema)
        for count in 0..<min(text.count, 500) {
            #expect(throws: JSONMessageError.self) { try JSONMessageReader.read(text.prefix(count), as: message, of: schema) }
        }
    }

    @Test("a changed text is refused, or read as swift-protobuf reads it, and never traps", arguments: subjects)
    private func changedTexts(_ subject: Subject) throws {
        let message = try #require(schema[message: subject.type.protoMessageName])
        var (random, numbers) = (RandomMessage(seed: 8), SeededNumbers(seed: 8))
        for _ in 0..<15 {
            let text = try JSONMessageWriter.write(random.bytes(of: message), as: message, of: schema)
            for _ in 0..<6 {
                let mutant = numbers.mutated(String(decoding: text, as: UTF8.self))
                guard let mine = try? JSONMessageReader.read(mutant[...], as: message, of: schema) else { continue }
                let theirs = try subject.type.init(jsonUTF8Bytes: mutant)
                #expect(try theirs.isEqualTo(message: subject.type.init(serializedBytes: mine)), "\(mutant)")
            }
        }
    }

    @Test("a changed message is refused, or written as swift-protobuf writes it, and never traps", arguments: subjects)
    private func changedMessages(_ subject: Subject) throws {
        let message = try #require(schema[message: subject.type.protoMessageName])
        var (random, numbers) = (RandomMessage(seed: 9), SeededNumbers(seed: 9))
        for _ in 0..<60 {
            var mutant = random.bytes(of: message)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) where !mutant.isEmpty {
                mutant[Int.random(in: 0..<mutant.count, using: &numbers)] = .random(in: 0...255, using: &numbers)
            }
            guard let mine = try? JSONMessageWriter.write(mutant, as: message, of: schema),
                let theirs = try? subject.type.init(serializedBytes: mutant)
            else { continue }
            let written: [UInt8] = try theirs.jsonUTF8Bytes()
            #expect(try value(mine) == value(written), "\(mutant)")
        }
    }

    @Test("a call in JSON is the call that it would be in protobuf")
    func call() throws {
        let request = try sampleRequest()
        let text: [UInt8] = try request.message.jsonUTF8Bytes()
        let json = try #require(API.verify.json)
        #expect(try VerificationRequest(serialized: json.readRequest(text[...])) == request)
        // A binding of no mode is there in JSON as in protobuf, and refused.
        var message = request.message
        message.binding = Assay_V1_Binding()
        let unbound: [UInt8] = try message.jsonUTF8Bytes()
        #expect(String(decoding: unbound, as: UTF8.self).contains(#""binding":{}"#))
        let bytes = try json.readRequest(unbound[...])
        #expect(throws: RequestError.self) { try VerificationRequest(serialized: bytes) }
    }
}
