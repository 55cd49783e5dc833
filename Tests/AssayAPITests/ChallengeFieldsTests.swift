import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayAPI

@Suite("Request for a challenge on the wire")
struct ChallengeFieldsTests {
    private static let sample = Assay_V1_IssueChallengeRequest.with {
        $0.app = "camera"
        $0.purpose = .assert
        $0.context = Data([1, 2, 3])
        $0.ttlMs = 300_000
        $0.sourceAddress = "203.0.113.9"
    }

    private func read(_ message: Assay_V1_IssueChallengeRequest) throws -> ChallengeFields? {
        try ChallengeFields(serialized: message.serializedBytes())
    }

    @Test("is read as the generated code reads it")
    func fields() throws {
        let fields = try #require(try read(Self.sample))
        #expect(fields.app.text == "camera" && fields.purpose == .assert && fields.context == [1, 2, 3])
        #expect(fields.timeToLive == 300_000 && fields.address?.text == "203.0.113.9")
        let least = Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = ("camera", .register) }
        let lean = try #require(try read(least))
        #expect(lean.purpose == .register && lean.context == [] && lean.timeToLive == 0 && lean.address == nil)
        let later: [UInt8] = try least.serializedBytes() + [0x98, 0x06, 0x01]
        #expect(try ChallengeFields(serialized: later) == lean, "a field of a later version is skipped")
    }

    @Test("Of a field that is given twice the last value counts")
    func twice() throws {
        let other = Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose, $0.ttlMs) = ("other", .register, 5) }
        let bytes: [UInt8] = try Self.sample.serializedBytes() + other.serializedBytes()
        let fields = try #require(try ChallengeFields(serialized: bytes))
        #expect(fields.app.text == "other" && fields.purpose == .register && fields.timeToLive == 5)
        #expect(fields.context == [1, 2, 3])
    }

    @Test("Bytes that are no message are told from a field that breaks a rule")
    func refused() throws {
        let wire: [UInt8] = try Self.sample.serializedBytes()
        for end in 1..<wire.count where (try? Assay_V1_IssueChallengeRequest(serializedBytes: Array(wire[..<end]))) == nil {
            #expect(try ChallengeFields(serialized: Array(wire[..<end])) == nil, "\(end) bytes")
        }
        #expect(try ChallengeFields(serialized: [0x0A, 1, 0xFF]) == nil, "text that is not UTF-8")
        #expect(try ChallengeFields(serialized: [0x08, 1]) == nil, "the app as a number")
        func field(_ change: (inout Assay_V1_IssueChallengeRequest) -> Void) throws -> String? {
            var message = Self.sample
            change(&message)
            let bytes: [UInt8] = try message.serializedBytes()
            do throws(RequestError) { _ = try ChallengeFields(serialized: bytes) } catch { return error.field }
            return nil
        }
        #expect(try field { _ in } == nil)
        #expect(try field { $0.app = "NOT AN APP" } == "app")
        #expect(try field { $0.purpose = .unspecified } == "purpose")
        #expect(try field { $0.purpose = .UNRECOGNIZED(9) } == "purpose")
        #expect(try field { $0.context = Data(repeating: 0, count: 65) } == "context")
        #expect(try field { $0.sourceAddress = "here" } == "source_address")
        #expect(try field { $0.ttlMs = 3_600_001 } == "ttl_ms")
        #expect(try field { $0.ttlMs = .max } == "ttl_ms")
    }
}
