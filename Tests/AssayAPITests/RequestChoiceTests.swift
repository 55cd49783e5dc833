import AssayAPI
import AssayCore
import SwiftProtobuf
import Testing

/// The bytes of choices that no client of this version makes: what a later version may send, and what protobuf would merge.
@Suite("Choices on the wire")
struct RequestChoiceTests {
    /// A field that holds bytes or a message.
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count
        return [number << 3 | 2] + (length < 128 ? [UInt8(length)] : [UInt8(length & 127) | 128, UInt8(length >> 7)]) + content
    }

    /// A field of another wire type: 0 a varint, 1 eight bytes, 5 four.
    private func scalar(_ number: UInt8, _ type: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | type] + content }

    private func field(_ number: UInt8, message: some SwiftProtobuf.Message) throws -> [UInt8] {
        field(number, try message.serializedBytes())
    }

    /// What is said of a good request with these fields behind it: the error, or the request.
    private func read(
        _ more: [UInt8], without change: (inout Assay_V1_VerifyRequest) -> Void = { _ in }
    ) throws -> Reading {
        var message = try sampleRequest().message
        change(&message)
        let wire: [UInt8] = try message.serializedBytes()
        do throws(RequestError) {
            return try VerificationRequest(serialized: wire + more).map { .request($0) } ?? .undecodable
        } catch {
            return .refused(error)
        }
    }

    private enum Reading: Equatable {
        case request(VerificationRequest)
        case refused(RequestError)
        case undecodable

        var refusedField: String? { if case .refused(let error) = self { error.field } else { nil } }
    }

    private let payload = Assay_V1_Binding.with { $0.clientData.payloadSha256 = .init(count: 32, of: 1) }

    @Test("a binding that names no mode that is known is refused, and never taken for one that binds nothing")
    func unknownMode() throws {
        let later: [[UInt8]] = [
            [], field(5, []), field(5, field(1, [1, 2])), scalar(9, 0, [7]), scalar(9, 5, bytes(4)), scalar(9, 1, bytes(8)),
            // Known members of a type that they never have.
            scalar(1, 0, [1]), scalar(3, 5, bytes(4)),
        ]
        for content in later {
            let reading = try read(field(6, content)) { $0.clearBinding() }
            #expect(reading.refusedField == "binding", "\(content)")
        }
        for content in [field(4, []), field(4, field(1, [1, 2]))] {
            #expect(try read(field(6, content)) { $0.clearBinding() }.refusedField == "binding.in_evidence", "\(content)")
        }
        #expect(try read([]) { $0.clearBinding() }.refusedField == nil, "left out is no payload")
    }

    @Test("a mode with another beside it, known or not, is refused, in either order")
    func modeBeside() throws {
        let mode = field(1, field(1, bytes(32, 1)))
        for other in [
            field(3, field(1, bytes(32, 2))), field(2, []), mode, field(4, []), scalar(9, 0, [1]), scalar(9, 5, bytes(4)),
        ] {
            for content in [mode + other, other + mode] {
                #expect(try read(field(6, content)) { $0.clearBinding() }.refusedField == "binding", "\(content)")
            }
        }
        guard case .request(let request) = try read(field(6, mode), without: { $0.clearBinding() }) else {
            Issue.record("one mode is read")
            return
        }
        #expect(request.binding == .clientData(payloadHash: bytes(32, 1)))
    }

    @Test("a mode that binds something of a later version is refused", arguments: [1, 2, 3] as [UInt8])
    func unknownInMode(_ mode: UInt8) throws {
        for more in [field(2, bytes(48)), scalar(2, 0, [1]), scalar(2, 5, bytes(4)), scalar(1, 0, [1])] {
            let reading = try read(field(6, field(mode, field(1, bytes(32, 1)) + more))) { $0.clearBinding() }
            #expect(reading.refusedField?.hasPrefix("binding.") == true, "\(more)")
        }
    }

    @Test("client data names an upload of 16 bytes in place of the payload's hash, never beside it")
    func upload() throws {
        func reading(_ content: [UInt8]) throws -> Reading { try read(field(6, field(1, content))) { $0.clearBinding() } }
        guard case .request(let request) = try reading(field(2, bytes(16, 7))) else {
            Issue.record("an upload is read")
            return
        }
        #expect(request.binding == .clientData(payloadHash: nil) && request.upload?.bytes == bytes(16, 7))
        #expect(try VerificationRequest(serialized: request.message.serializedBytes()) == request)
        #expect(request.digest != (try sampleRequest()).digest)
        guard case .request(let without) = try reading(field(1, bytes(32, 1)) + field(2, [])) else {
            Issue.record("an empty field is no upload")
            return
        }
        #expect(without.upload == nil && without.binding == .clientData(payloadHash: bytes(32, 1)))
        for length in [1, 15, 17, 32] {
            #expect(try reading(field(2, bytes(length))).refusedField == "binding.client_data.upload_id", "\(length) bytes")
        }
        for both in [field(1, bytes(32, 1)) + field(2, bytes(16)), field(2, bytes(16)) + field(1, bytes(32, 1))] {
            #expect(try reading(both).refusedField == "binding.client_data")
        }
    }

    @Test("a binding that is given twice is refused, where protobuf would merge the two")
    func bindingTwice() throws {
        let twice = try field(6, message: payload)
        #expect(try read(twice) == .refused(RequestError("binding", "must be given once")))
        // As protobuf has it, the second one's payload, or neither's, would be bound.
        var message = try sampleRequest().message
        message.binding = payload
        let merged = try Assay_V1_VerifyRequest(serializedBytes: message.serializedBytes() + field(6, field(1, [])))
        #expect(merged.binding.clientData.payloadSha256.count == 32)
        #expect(try read(field(6, [])).refusedField == "binding")
    }

    @Test("a binding of another wire type is no binding, and no request")
    func bindingOfAnotherType() throws {
        for odd in [scalar(6, 0, [1]), scalar(6, 5, bytes(4)), scalar(6, 1, bytes(8))] {
            #expect(try read(odd) { $0.clearBinding() } == .undecodable)
        }
    }

    @Test("a piece of evidence is of one kind that is known, once, with nothing beside it")
    func evidence() throws {
        let kind = field(2, field(1, bytes(32, 1)) + field(2, bytes(90, 2)))
        let others = [kind, field(4, field(1, [0x61])), field(8, []), scalar(12, 0, [1]), scalar(12, 5, bytes(4))]
        for other in others {
            for content in [kind + other, other + kind] {
                #expect(try read(field(5, content)) { $0.evidence = [] }.refusedField == "evidence", "\(content)")
            }
        }
        for content in [[], field(8, []), scalar(12, 0, [1]), scalar(2, 0, [1]), scalar(1, 5, bytes(4))] {
            #expect(try read(field(5, content)) { $0.evidence = [] }.refusedField == "evidence", "\(content)")
        }
        guard case .request = try read(field(5, kind), without: { $0.evidence = [] }) else {
            Issue.record("one kind is read")
            return
        }
    }
}
