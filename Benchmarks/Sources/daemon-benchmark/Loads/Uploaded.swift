import AssayAPI
import AssayClient
import AssayCore

/// What devices upload.
enum Uploaded {
    static let payload = Array("a photo".utf8)

    /// A request with one piece of evidence, under Assay's own client data.
    static func request(to app: AppID, _ data: ClientData, _ evidence: Evidence) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: data.purpose, challenge: data.challenge, evidence: [evidence],
            binding: .clientData(payloadHash: data.payloadHash))
    }
}

extension ClientData {
    /// What a device signs.
    static func signed(_ purpose: Purpose, _ challenge: [UInt8], payload: [UInt8]? = nil) throws -> ClientData {
        let hash = payload.map { ClientData.payloadHash($0) }
        guard let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: hash) else {
            throw AssayError(.internalError, "a challenge of \(challenge.count) bytes")
        }
        return data
    }
}

extension PlainFrame.Request {
    static func verify(_ request: VerificationRequest) throws -> Self {
        try Self("/assay.v1.Attestation/Verify", request.message)
    }
}

extension Assay_V1_Verdict {
    func requireAccepted() throws {
        guard decision == .accepted else { throw AssayError(.internalError, "not accepted: \(reason)") }
    }

    func requireRejected(as code: ReasonCode) throws {
        guard decision == .rejected, reason == code.rawValue else {
            throw AssayError(.internalError, "not rejected as \(code.rawValue): \(reason)")
        }
    }
}
