import AssayClient
import AssayCore

/// A challenge of a session, with its context.
struct SessionChallenge {
    let purpose: Purpose
    let bytes: [UInt8]
    let context: [UInt8]

    init(_ purpose: Purpose, app: AppID, from client: AssayClient, timeout: Duration) async throws(AssayError) {
        self.purpose = purpose
        context = SecureRandom.bytes(16)
        bytes = try await client.issueChallenge(app: app, purpose: purpose, context: context, timeout: timeout).bytes
    }

    /// The client data that a device signs.
    func clientData(_ payload: [UInt8]?) throws(AssayError) -> ClientData {
        let data =
            payload.map { ClientData(purpose: purpose, challenge: bytes, payload: $0) }
            ?? ClientData(purpose: purpose, challenge: bytes)
        guard let data else { throw AssayError(.internalError, "the daemon's challenge has a wrong length") }
        return data
    }

    /// The request with one piece of evidence over it.
    func request(app: AppID, _ evidence: Evidence, payload: [UInt8]? = nil) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: purpose, challenge: bytes, context: context, evidence: [evidence],
            binding: .clientData(payloadHash: payload.map(ClientData.payloadHash)))
    }
}
