package import AssayCore
import Crypto
import Foundation
import SwiftProtobuf

extension VerificationRequest {
    /// What a request for a renewal asks to be judged.
    package init(_ message: Assay_V1_RenewCertificateRequest) throws(RequestError) {
        guard message.hasSignature else { throw RequestError("signature", "must be given") }
        let signature = message.signature
        guard signature.keyID.count == 32 else { throw RequestError("signature.key_id", "must have 32 bytes") }
        self.init(
            app: try AppID(field: message.app), purpose: .renew, challenge: Array(message.challenge),
            context: try message.context.bounded("context", by: Challenge.contextLimit),
            evidence: [
                Evidence(
                    format: .certificateSignature, keyID: Array(signature.keyID),
                    parts: [[UInt8(exactly: signature.algorithm.rawValue) ?? 0], Array(signature.signature)[...]])
            ],
            binding: .clientData(payloadHash: SHA256.bytes(of: try message.csr.csr())),
            subject: try message.subject.bounded("subject", by: Self.subjectLimit),
            expectedDevice: try DeviceID?(field: "expected_device_id", optional: message.expectedDeviceID),
            idempotencyKey: try message.idempotencyKey.bounded("idempotency_key", by: Self.idempotencyKeyLimit),
            sourceAddress: try SourceAddress?(field: message.sourceAddress.utf8))
    }
}

/// The most bytes of a certificate signing request.
package let csrLimit = 16_384

extension Collection<UInt8> {
    /// The field `csr`: 1 to `csrLimit` bytes.
    package func csr() throws(RequestError) -> [UInt8] {
        guard !isEmpty else { throw RequestError("csr", "must be given") }
        return try bounded("csr", by: csrLimit)
    }
}

extension CertificateName {
    /// The fields `issuer_spki_sha256` and `serial`.
    package init(issuer: some Collection<UInt8>, serial: some Collection<UInt8>) throws(RequestError) {
        guard issuer.count == 32 else { throw RequestError("issuer_spki_sha256", "must have 32 bytes") }
        self.init(issuer: Array(issuer), serial: try serial.certificateSerial())
    }
}

extension Collection<UInt8> {
    /// The field `serial`: 1 to 20 bytes, with or without leading zeros.
    package func certificateSerial() throws(RequestError) -> [UInt8] {
        let serial = Array(drop { $0 == 0 })
        guard (1...20).contains(serial.count) else { throw RequestError("serial", "must have 1 to 20 bytes and not be zero") }
        return serial
    }
}
