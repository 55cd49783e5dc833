import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

/// A request in which every field is set, each to another value.
func sampleRequest() throws -> VerificationRequest {
    VerificationRequest(
        app: try #require(AppID("camera")), purpose: .assert, challenge: bytes(54, 1), context: bytes(64, 2),
        evidence: [
            Evidence(format: .appAttestAttestation, keyID: bytes(32, 3), body: bytes(100, 4)),
            Evidence(format: .appAttestAssertion, keyID: bytes(32, 5), body: bytes(90, 6)),
        ],
        binding: .clientData(payloadHash: bytes(32, 7)), subject: bytes(256, 8),
        expectedDevice: DeviceID(bytes: bytes(16, 9)), idempotencyKey: bytes(64, 10),
        signals: Array(#"{"version":1}"#.utf8), replaces: DeviceID(bytes: bytes(16, 11)),
        results: [
            ResultRequest(shape: .earJWT, audience: "https://uploads.example.com", nonce: bytes(16, 12)),
            ResultRequest(shape: .session, audience: "https://uploads.example.com"),
        ], report: .all)
}

func bytes(_ count: Int, _ value: UInt8 = 0) -> [UInt8] { [UInt8](repeating: value, count: count) }

extension Data {
    init(count: Int, of value: UInt8) { self.init(repeating: value, count: count) }
}

/// What the mapping says to a sample that was changed.
func problem(_ change: (inout Assay_V1_VerifyRequest) -> Void) throws -> RequestError? {
    var message = try sampleRequest().message
    change(&message)
    let wire: [UInt8] = try message.serializedBytes()
    do throws(RequestError) {
        _ = try VerificationRequest(serialized: wire)
        return nil
    } catch {
        return error
    }
}

/// A message as the daemon reads it.
func read(_ message: Assay_V1_VerifyRequest) throws -> VerificationRequest {
    let wire: [UInt8] = try message.serializedBytes()
    return try #require(try VerificationRequest(serialized: wire))
}
