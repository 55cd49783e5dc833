import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Results in requests and verdicts")
struct ResultTests {
    private func refused(_ change: (inout Assay_V1_ResultRequest) -> Void) throws -> RequestError? {
        try problem { change(&$0.results[1]) }
    }

    @Test("a request may ask for 4 results, and for no more")
    func count() throws {
        func asking(_ count: Int) throws -> RequestError? {
            try problem { request in
                request.results = (0..<count).map { place in .with { ($0.shape, $0.audience) = (.earJwt, "a\(place)") } }
            }
        }
        #expect(try asking(4) == nil)
        #expect(try asking(5) == RequestError("results", "must hold at most 4"))
        #expect(try asking(1000)?.field == "results")
    }

    @Test("a shape that is not set, or that a later version may have, is refused", arguments: [0, 9, 4_000_000])
    func unknownShape(_ number: Int) throws {
        let error = try refused { $0.shape = Assay_V1_ResultShape(rawValue: number) ?? .unspecified }
        #expect(error == RequestError("results[1].shape", "must be a shape that this version knows"))
    }

    @Test("every shape is asked for by its number and answered under it", arguments: ResultShape.allCases)
    func shapes(_ shape: ResultShape) throws {
        #expect(ResultShape(shape.message) == shape && shape.message != .unspecified)
        var request = try sampleRequest()
        request.results = [ResultRequest(shape: shape, audience: "ä", nonce: bytes(64, 1))]
        #expect(try read(request.message).results == request.results)
    }

    @Test("an audience has 1 to 256 bytes of UTF-8")
    func audience() throws {
        #expect(try refused { $0.audience = "" } == RequestError("results[1].audience", "must have 1 to 256 bytes, not 0"))
        #expect(try refused { $0.audience = String(repeating: "ä", count: 128) } == nil)
        let long = try refused { $0.audience = String(repeating: "ä", count: 128) + "a" }
        #expect(long == RequestError("results[1].audience", "must have 1 to 256 bytes, not 257"))
        // Field 13 of the request with shape 3 and an audience of one byte that is no UTF-8.
        let wire: [UInt8] = try sampleRequest().message.serializedBytes() + [0x6A, 0x05, 0x08, 0x03, 0x12, 0x01, 0xFF]
        #expect(throws: RequestError("results[2].audience", "must be UTF-8")) { try VerificationRequest(serialized: wire) }
    }

    @Test("a nonce has 8 to 64 bytes, or none", arguments: [1, 7, 65, 1000])
    func nonce(_ count: Int) throws {
        let error = try refused { $0.nonce = Data(count: count, of: 1) }
        #expect(error == RequestError("results[1].nonce", "must have 8 to 64 bytes or none, not \(count)"))
        for good in [0, 8, 64] { #expect(try refused { $0.nonce = Data(count: good, of: 1) } == nil) }
    }

    @Test("a shape is asked for once for an audience, with another nonce too; another audience or shape is another result")
    func twice() throws {
        let error = try problem { $0.results.append($0.results[0]) }
        #expect(error == RequestError("results[2]", "must not ask for a shape for the same audience again"))
        let other = try problem { request in
            request.results.append(request.results[0])
            request.results[2].nonce = Data(count: 8, of: 9)
        }
        #expect(other?.field == "results[2]")
        let differing = try problem { request in
            request.results.append(request.results[0])
            request.results[2].audience = "another"
        }
        #expect(differing == nil)
    }

    @Test("a part of a result's request that this version does not know is refused: it could narrow what is signed")
    func unknownField() throws {
        let known: [UInt8] = [0x08, 0x03, 0x12, 0x01, 0x61]
        // Field 4 as varint, eight bytes, bytes and four bytes.
        for field in [[0x20, 0x01], [0x21] + bytes(8), [0x22, 0x01, 0x00], [0x25] + bytes(4)] as [[UInt8]] {
            let content = known + field
            let wire: [UInt8] = try sampleRequest().message.serializedBytes() + [0x6A, UInt8(content.count)] + content
            #expect(throws: RequestError("results[2]", "must hold nothing that this version does not know")) {
                try VerificationRequest(serialized: wire)
            }
        }
    }

    @Test("a known part of another wire type makes the request undecodable")
    func otherType() throws {
        for content in [[0x0A, 0x01, 0x03], [0x10, 0x01], [0x18, 0x01], [0x0D, 0, 0, 0, 0]] as [[UInt8]] {
            let wire: [UInt8] = try sampleRequest().message.serializedBytes() + [0x6A, UInt8(content.count)] + content
            #expect(try VerificationRequest(serialized: wire) == nil, "\(content)")
        }
        let number: [UInt8] = try sampleRequest().message.serializedBytes() + [0x68, 0x01]
        #expect(try VerificationRequest(serialized: number) == nil)
    }

    // MARK: Answers

    private let results = [
        SignedResult(
            shape: .earJWT, audience: "https://uploads.example.com",
            outcome: .signed(token: Array("a.b.c".utf8), identifier: bytes(16, 1), expiresAt: Timestamp(unixMilliseconds: 9000))
        ),
        SignedResult(
            shape: .plainCOSE, audience: "other",
            outcome: .signed(token: [0xD2, 0x84], identifier: bytes(16, 2), expiresAt: Timestamp(unixMilliseconds: 8000))),
        SignedResult(shape: .session, audience: "other", outcome: .refused(.tooMany)),
    ]

    @Test("results are added to a verdict's message, in their order, and change nothing else of it")
    func added() throws {
        let verdict = Assay_V1_Verdict.with { ($0.decision, $0.decidedAtUnixMs) = (.accepted, 17) }
        var message = try Assay_V1_Verdict(serializedBytes: results.added(to: try verdict.serializedBytes()))
        #expect(message.results.map(\.shape) == [.earJwt, .plainCose, .session])
        #expect(message.results.map(\.audience) == results.map(\.audience))
        #expect(message.results[0].text == "a.b.c" && message.results[0].id == Data(count: 16, of: 1))
        #expect(message.results[1].binary == Data([0xD2, 0x84]) && message.results[1].expiresAtUnixMs == 8000)
        #expect(
            message.results[2].problem.code == "result_too_many" && message.results[2].problem.sentence.hasPrefix("the device"))
        #expect(message.results[2].id.isEmpty && message.results[2].expiresAtUnixMs == 0)
        message.results = []
        #expect(message == verdict)
        #expect([SignedResult]().added(to: [1, 2]) == [1, 2])
    }

    @Test("every problem has a word of its own and a sentence", arguments: ResultProblem.allCases)
    func problems(_ problem: ResultProblem) {
        #expect(problem.rawValue.hasPrefix("result") && !problem.sentence.isEmpty)
        #expect(ResultProblem.allCases.count { $0.sentence == problem.sentence } == 1)
    }

    @Test("every limit has a name in the API that says what the core calls it", arguments: VerdictLimit.allCases)
    func limits(_ limit: VerdictLimit) throws {
        #expect(VerdictLimit(limit.message) == limit)
        let text = try Assay_V1_Verdict.with { $0.limits = [limit.message] }.jsonString()
        #expect(text == #"{"limits":["VERDICT_LIMIT_\#(limit.rawValue.uppercased())"]}"#)
    }
}
