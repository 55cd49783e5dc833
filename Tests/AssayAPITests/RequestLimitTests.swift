import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Request limits")
struct RequestLimitTests {
    @Test(
        "name the app where its id is not of the form",
        arguments: ["", "Camera", "a b", "ä", String(repeating: "a", count: 65)])
    func app(_ text: String) throws {
        #expect(try problem { $0.app = text }?.field == "app")
    }

    @Test("let an app id of 64 characters through")
    func longestApp() throws {
        #expect(try problem { $0.app = String(repeating: "a", count: 64) } == nil)
    }

    @Test("allow 1 to 4 pieces of evidence", arguments: [0, 5, 100])
    func evidenceCount(_ count: Int) throws {
        let error = try problem { $0.evidence = Array(repeating: $0.evidence[0], count: count) }
        #expect(error == RequestError("evidence", "must hold 1 to 4 pieces, not \(count)"))
    }

    @Test("allow one piece of each format")
    func sameFormat() throws {
        let error = try problem { $0.evidence[1] = $0.evidence[0] }
        #expect(error == RequestError("evidence", "must not hold two pieces of the format app-attest.attestation"))
    }

    @Test("want a kind of evidence that is known")
    func unsetKind() throws {
        #expect(try problem { $0.evidence[1] = Assay_V1_Evidence() }?.field == "evidence")
    }

    @Test("refuse a kind of evidence that a later version may know")
    func laterKind() throws {
        // Field 99, length-delimited, empty: a message of a kind that this version has no word for.
        let later = try Assay_V1_Evidence(serializedBytes: [0x9A, 0x06, 0x00])
        #expect(try problem { $0.evidence = [later] }?.field == "evidence")
    }

    @Test("bound a context to 64 bytes")
    func context() throws {
        #expect(try problem { $0.context = Data(count: 65, of: 1) }?.field == "context")
        #expect(try problem { $0.context = Data(count: 64, of: 1) } == nil)
    }

    @Test("bound a subject to 256 bytes")
    func subject() throws {
        #expect(try problem { $0.subject = Data(count: 257, of: 1) }?.field == "subject")
        #expect(try problem { $0.subject = Data(count: 256, of: 1) } == nil)
    }

    @Test("bound signals to 64 KiB")
    func signals() throws {
        #expect(try problem { $0.signals = Data(count: 65_537, of: 1) }?.field == "signals")
        #expect(try problem { $0.signals = Data(count: 65_536, of: 1) } == nil)
    }

    @Test("bound an idempotency key to 64 bytes")
    func idempotencyKey() throws {
        #expect(try problem { $0.idempotencyKey = Data(count: 65, of: 1) }?.field == "idempotency_key")
        #expect(try problem { $0.idempotencyKey = Data(count: 64, of: 1) } == nil)
    }

    @Test("want 16 bytes of a device id, or none", arguments: [1, 15, 17, 32])
    func deviceID(_ count: Int) throws {
        let error = try problem { $0.expectedDeviceID = Data(count: count, of: 1) }
        #expect(error == RequestError("expected_device_id", "must have 16 bytes, not \(count)"))
        #expect(try problem { $0.expectedDeviceID = Data() } == nil)
        let replaced = try problem { $0.replacesDeviceID = Data(count: count, of: 1) }
        #expect(replaced == RequestError("replaces_device_id", "must have 16 bytes, not \(count)"))
        #expect(try problem { $0.replacesDeviceID = Data() } == nil)
    }

    @Test("want 32 bytes of a payload's hash, or none", arguments: [1, 31, 33, 64])
    func payloadHash(_ count: Int) throws {
        let error = try problem { $0.binding.clientData.payloadSha256 = Data(count: count, of: 1) }
        #expect(error?.field == "binding.client_data.payload_sha256")
    }

    @Test("want no payload's hash of 32 zero bytes, which say in client data that none is bound")
    func zeroPayloadHash() throws {
        let error = try problem { $0.binding.clientData.payloadSha256 = Data(count: 32) }
        #expect(error?.field == "binding.client_data.payload_sha256" && error?.problem.contains("zero") == true)
        #expect(try problem { $0.binding.clientData.payloadSha256 = Data(count: 31) + [1] } == nil)
        #expect(try problem { $0.binding.clientData.payloadSha256 = Data() } == nil)
    }

    @Test("want 1 to 64 bytes of a hash that the caller vouches for", arguments: [0, 65, 1000])
    func callerHash(_ count: Int) throws {
        let error = try problem { $0.binding.callerOwned.clientDataHash = Data(count: count, of: 1) }
        #expect(error?.field == "binding.caller_owned.client_data_hash")
    }

    @Test("leave the length of a challenge to the appraisal, which has a reason code for it", arguments: [0, 53, 55])
    func challenge(_ count: Int) throws {
        #expect(try problem { $0.challenge = Data(count: count, of: 1) } == nil)
    }

    @Test("are told in the words of the .proto file")
    func words() throws {
        let error = try #require(try problem { $0.context = Data(count: 65, of: 1) })
        #expect(error.description == "context must have at most 64 bytes, not 65")
    }
}
