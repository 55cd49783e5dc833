import AssayAPI
import AssayCore
import AssayTesting
import SwiftProtobuf
import Testing

/// The reader that is written by hand, held against the generated code.
@Suite("Request on the wire")
struct RequestWireTests {
    private func sample() throws -> [UInt8] { try sampleRequest().message.serializedBytes() }

    @Test("is read with fields that a later version added, wherever they stand")
    func unknownFields() throws {
        let wire = try sample()
        // Field 99 as varint, fixed64, bytes and fixed32.
        let unknown: [[UInt8]] = [
            [0x98, 0x06, 0x07], [0x99, 0x06] + bytes(8, 1), [0x9A, 0x06, 0x02, 1, 2], [0x9D, 0x06] + bytes(4, 1),
        ]
        for field in unknown {
            #expect(try VerificationRequest(serialized: field + wire) == sampleRequest())
            #expect(try VerificationRequest(serialized: wire + field) == sampleRequest())
        }
    }

    @Test("takes the last of a field that stands twice, as protobuf has it")
    func last() throws {
        let twice = try sample() + Assay_V1_VerifyRequest.with { $0.app = "other" }.serializedBytes()
        #expect(try VerificationRequest(serialized: twice)?.app.text == "other")
        #expect(try Assay_V1_VerifyRequest(serializedBytes: twice).app == "other")
    }

    @Test("is no message where the generated code finds none: cut short, lengths beyond the end, broken varints")
    func malformed() throws {
        let wire = try sample()
        for count in 1..<wire.count {
            let cut = Array(wire.prefix(count))
            let isMessage = (try? Assay_V1_VerifyRequest(serializedBytes: cut)) != nil
            #expect(isNoMessage(cut) == !isMessage, "\(count) bytes")
        }
        let broken: [[UInt8]] = [
            [0x0A], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x10] + bytes(10, 0xFF), [0x00, 0x01], [0x0B], [0x0F],
            [0x0A, 0x80], [0x2A, 0x02, 0x0A, 0x05],
        ]
        for bytes in broken {
            #expect(isNoMessage(bytes))
            #expect(throws: (any Error).self) { try Assay_V1_VerifyRequest(serializedBytes: bytes) }
        }
    }

    @Test("gives every mutant the request that the generated code gives it, or none, and never traps")
    func mutants() throws {
        let wire = try sample()
        var random = SeededNumbers(seed: 2026)
        for _ in 0..<3000 {
            var mutant = wire
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                mutant[Int.random(in: 0..<mutant.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let mine = try? VerificationRequest(serialized: mutant) else { continue }
            // What is read here is a message there too, with the same fields; messages given twice are refused here.
            let generated = try Assay_V1_VerifyRequest(serializedBytes: mutant)
            #expect(mine.app.text == generated.app && mine.challenge == Array(generated.challenge))
            #expect(mine.context == Array(generated.context) && mine.subject == Array(generated.subject))
            #expect(mine.signals == Array(generated.signals))
            #expect((mine.replaces?.bytes ?? []) == Array(generated.replacesDeviceID))
            #expect(mine.evidence.count == generated.evidence.count)
            #expect(mine.results.map(\.message) == generated.results)
            #expect((mine.report == .all) == (generated.report == .all))
            #expect(mine.binding == mine.message.binding.request)
            // Left out, it is that of client data without a payload, or implied by the evidence.
            let isRight =
                generated.hasBinding
                ? mine.binding == generated.binding.request
                : mine.binding == .clientData(payloadHash: nil) || mine.binding == .inEvidence
            #expect(isRight, "\(Hex.encode(mutant))")
        }
    }

    private func isNoMessage(_ bytes: [UInt8]) -> Bool {
        do throws(RequestError) {
            return try VerificationRequest(serialized: bytes) == nil
        } catch {
            return false
        }
    }
}

extension Assay_V1_Binding {
    /// The words of the core for it; `nil` for a mode that is none.
    fileprivate var request: VerificationRequest.BindingRequest? {
        switch mode {
        case .clientData(let data)?: .clientData(payloadHash: data.payloadSha256.isEmpty ? nil : Array(data.payloadSha256))
        case .embedded(let data)?: .embedded(Array(data.clientData))
        case .callerOwned(let data)?: .callerOwned(Array(data.clientDataHash))
        case .inEvidence?: .inEvidence
        case nil: nil
        }
    }
}
