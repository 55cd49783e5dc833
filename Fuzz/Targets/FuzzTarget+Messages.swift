import AssayAPI
import AssayCore
import SwiftProtobuf

extension FuzzTarget {
    /// The hand-written readers of requests, and the generated ones of the rest.
    static func messages(_ bytes: [UInt8]) {
        _ = try? VerificationRequest(serialized: bytes)
        _ = try? IssuanceFields(serialized: bytes)
        _ = try? Assay_V1_VerifyRequest(serializedBytes: bytes)
        _ = try? Assay_V1_IssueChallengeRequest(serializedBytes: bytes)
        _ = try? Assay_V1_GetDeviceRequest(serializedBytes: bytes)
        _ = try? Assay_V1_ImportDevicesRequest(serializedBytes: bytes)
        _ = try? Assay_V1_ReadAuditRequest(serializedBytes: bytes)
        if let verdict = try? Assay_V1_Verdict(serializedBytes: bytes) { _ = Claims(verdict.claims) }
        if let challenge = try? Challenge(parsing: bytes) { _ = challenge.nonce }
    }
}
