import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

/// What a client of a later version may choose, which this one does not know.
@Suite("Unknown choices")
struct UnknownChoiceTests {
    /// Fields that no message has: a text, a message and a number.
    private static let later: [[UInt8]] = [[0x9A, 0x06, 0x01, 0x61], [0x9A, 0x06, 0x00], [0x98, 0x06, 0x01]]

    private func failure(_ method: some APIMethod, _ message: [UInt8], in harness: ServiceHarness) async throws -> RPCError? {
        guard case .failure(let error)? = try await harness.ask(method.path, message) else { return nil }
        return error
    }

    /// The serialised message with bytes of a later version inside its field of that number.
    private func wrapped(_ message: some SwiftProtobuf.Message, _ field: UInt8, _ content: [UInt8]) throws -> [UInt8] {
        try message.serializedBytes() + [field << 3 | 2, UInt8(content.count)] + content
    }

    @Test("there is a test for each choice that a request can hold")
    func all() throws {
        // Of answers: a block's name, a claim's value, a permission, an event, an item, a signed result. The rest is below, or in "Choices on the wire".
        #expect(
            try ProtoFiles.choices() == [
                "Binding.mode", "BlockRecord.what", "BlockTarget.what", "CertificateBundle.form", "Claim.value",
                "Enrolment.permit", "Event.content",
                "Evidence.kind", "GetCertificateRequest.by", "GetDeviceRequest.by", "ImportedDevice.key",
                "IssueCertificateRequest.key", "ListBlocksRequest.only", "RemoveEnrolmentRequest.permit",
                "SignedResult.outcome",
                "WatchItem.item",
            ])
    }

    @Test("a binding of a later version is INVALID_ARGUMENT, and nothing is accepted or spent", arguments: later)
    func binding(_ content: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let request = try handset.registration(try await harness.challenge(.register))
        var message = request.message
        message.clearBinding()
        let error = try await failure(API.verify, try wrapped(message, 6, content), in: harness)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("binding ") == true, "\(String(describing: error))")
        let twice = try await failure(API.verify, try wrapped(request.message, 6, content), in: harness)
        #expect(twice?.code == .invalidArgument)
        #expect(harness.ledger.asked(.commit) == 0)
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("evidence of a later version is INVALID_ARGUMENT", arguments: later)
    func evidence(_ content: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let request = try Handset().registration(try await harness.challenge(.register))
        let error = try await failure(API.verify, try wrapped(request.message, 5, content), in: harness)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("evidence ") == true)
    }

    @Test("a device that is asked for by a name of a later version is INVALID_ARGUMENT", arguments: later)
    func device(_ field: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        var message = Assay_V1_GetDeviceRequest.with { $0.app = "camera" }
        let error = try await failure(API.getDevice, try message.serializedBytes() + field, in: harness)
        #expect(error?.code == .invalidArgument)
        message.deviceID = Data(device.bytes)
        #expect(
            try await failure(API.getDevice, try message.serializedBytes() + field, in: harness) == nil,
            "other fields are skipped"
        )
    }

    @Test("a target of a later version is INVALID_ARGUMENT, alone or beside one that is known", arguments: later)
    func target(_ field: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let known: [UInt8] = try Assay_V1_BlockTarget.with { $0.keyID = Data([1, 2, 3]) }.serializedBytes()
        for content in [field, known + field, field + known] {
            for (method, message, number) in [
                (API.block, Assay_V1_BlockRequest.with { ($0.app, $0.reason) = ("camera", "lost") }, 2),
                (API.unblock, Assay_V1_UnblockRequest.with { $0.app = "camera" }, 2),
                (API.listBlocks, Assay_V1_ListBlocksRequest.with { $0.app = "camera" }, 3),
            ] as [(any APIMethod, any SwiftProtobuf.Message, UInt8)] {
                let error = try await failure(method, try wrapped(message, number, content), in: harness)
                #expect(error?.code == .invalidArgument, "\(method.path)")
            }
        }
        #expect(harness.ledger.asked(.block) == 0)
    }

    @Test("a listing of a later version's choice is INVALID_ARGUMENT, and not a listing of everything", arguments: later)
    func listing(_ field: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        var message = Assay_V1_ListBlocksRequest.with { $0.app = "camera" }
        let error = try await failure(API.listBlocks, try message.serializedBytes() + field, in: harness)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("only ") == true)
        #expect(try await failure(API.listBlocks, try message.serializedBytes(), in: harness) == nil)
        message.kind = .key
        #expect(try await failure(API.listBlocks, try message.serializedBytes() + field, in: harness) == nil)
    }

    @Test("a key, a certificate or a permission that is named in a later version's way is INVALID_ARGUMENT", arguments: later)
    func provisioning(_ field: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let issue = Assay_V1_IssueCertificateRequest.with {
            $0.app = "camera"
            $0.evidence = [.with { $0.appAttestAssertion.keyID = Data([1]) }]
        }
        for (method, message, name) in [
            (API.issueCertificate, issue, "key "),
            (API.getCertificate, Assay_V1_GetCertificateRequest.with { $0.app = "camera" }, "by "),
            (API.removeEnrolment, Assay_V1_RemoveEnrolmentRequest.with { $0.app = "camera" }, "permit "),
        ] as [(any APIMethod, any SwiftProtobuf.Message, String)] {
            for content in [field, []] {
                let error = try await failure(method, try message.serializedBytes() + content, in: harness)
                #expect(error?.code == .invalidArgument && error?.message.hasPrefix(name) == true, "\(method.path)")
            }
        }
    }

    @Test("a key of a later version is not imported", arguments: later)
    func imported(_ field: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        let message = Assay_V1_ImportDevicesRequest.with { $0.app = "camera" }
        let error = try await failure(API.importDevices, try wrapped(message, 2, field), in: harness)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("devices.key ") == true)
    }
}
