import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Verification request")
struct VerificationRequestTests {
    @Test("comes back from its message as it was")
    func roundTrip() throws {
        let request = try sampleRequest()
        let back = try read(request.message)
        #expect(back == request)
        #expect(back.digest == request.digest)
    }

    @Test("comes back from its JSON as it was")
    func json() throws {
        let request = try sampleRequest()
        let bytes = try #require(API.verify.json).readRequest(request.json()[...])
        #expect(try read(Assay_V1_VerifyRequest(serializedBytes: bytes)) == request)
    }

    @Test(
        "comes back with each way of binding",
        arguments: [
            VerificationRequest.BindingRequest.clientData(payloadHash: nil), .clientData(payloadHash: bytes(32, 1)),
            .embedded([]), .embedded(bytes(300, 2)), .callerOwned([1]), .callerOwned(bytes(64, 3)),
        ])
    func bindings(_ binding: VerificationRequest.BindingRequest) throws {
        var request = try sampleRequest()
        request.binding = binding
        #expect(try read(request.message) == request)
    }

    @Test("needs only app, purpose and one piece of evidence")
    func least() throws {
        let message = Assay_V1_VerifyRequest.with {
            $0.app = "a"
            $0.purpose = .register
            $0.evidence = [.with { $0.appAttestAssertion = Assay_V1_AppAttestAssertion() }]
        }
        let request = try read(message)
        #expect(request.challenge.isEmpty && request.context.isEmpty && request.subject.isEmpty)
        #expect(request.binding == .clientData(payloadHash: nil))
        #expect(request.expectedDevice == nil && request.idempotencyKey.isEmpty && request.signals.isEmpty)
        #expect(request.replaces == nil)
        #expect(request.evidence == [Evidence(format: .appAttestAssertion, keyID: [], body: [])])
    }

    @Test("has a digest that tells every field from every other but leaves out the idempotency key and the results")
    func digests() throws {
        let sample = try sampleRequest()
        let changes: [(inout VerificationRequest) throws -> Void] = [
            { $0.app = try #require(AppID("other")) },
            { $0.purpose = .register },
            { $0.challenge[0] ^= 1 },
            { $0.context[0] ^= 1 },
            { $0.context = [] },
            { $0.evidence.removeLast() },
            { $0.evidence.reverse() },
            { $0.binding = .clientData(payloadHash: nil) },
            { $0.binding = .embedded(bytes(32, 7)) },
            { $0.binding = .callerOwned(bytes(32, 7)) },
            { $0.subject.removeLast() },
            { $0.expectedDevice = nil },
            { $0.signals = [] },
            { $0.signals.append(0x20) },
            { $0.replaces = nil },
            { $0.replaces = .random() },
            {
                $0.signals = []; $0.replaces = nil
            },
        ]
        var digests: Set<[UInt8]> = [sample.digest]
        for change in changes {
            var request = sample
            try change(&request)
            #expect(digests.insert(request.digest).inserted)
        }
        var repeated = sample
        repeated.idempotencyKey = []
        #expect(repeated.digest == sample.digest)
        repeated.results = [ResultRequest(shape: .plainJWS, audience: "another")]
        #expect(repeated.digest == sample.digest)
    }
}
