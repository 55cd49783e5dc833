import AssayCore
import AssaySimulator

/// A virtual phone and the service that sends its evidence.
struct Phone: Sendable {
    var key: VirtualKey
    let app: AppID

    /// Evidence that registers the key.
    func registration(_ challenge: [UInt8]) throws -> VerificationRequest {
        let body = try key.attest(clientDataHash: try clientData(.register, challenge).hash, at: SystemClock().now())
        return request(.register, challenge, .appAttestAttestation, body)
    }

    /// Evidence with an upload, under the next counter or the given one.
    mutating func upload(
        _ challenge: [UInt8], counter: UInt32? = nil, signer: TestSigningKey? = nil
    ) throws -> VerificationRequest {
        var changes = AssertionChanges.genuine
        if let counter { changes = changes.counter(counter) }
        if let signer { changes = changes.signer(signer) }
        let body = try key.assert(clientDataHash: try clientData(.assert, challenge).hash, changes: changes)
        return request(.assert, challenge, .appAttestAssertion, body)
    }

    private func clientData(_ purpose: Purpose, _ challenge: [UInt8]) throws -> ClientData {
        guard let data = ClientData(purpose: purpose, challenge: challenge) else { throw Trouble("no challenge of 54 bytes") }
        return data
    }

    private func request(
        _ purpose: Purpose, _ challenge: [UInt8], _ format: EvidenceFormat, _ body: [UInt8]
    ) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: purpose, challenge: challenge,
            evidence: [Evidence(format: format, keyID: key.keyID, body: body)])
    }
}
