import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Testing

/// A virtual phone and the service that sends its evidence.
struct TestPhone: Sendable {
    var key: VirtualKey
    let app: AppID
    static let patience = Duration.seconds(60)

    /// Evidence that registers the key.
    func registration(_ challenge: [UInt8]) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        let body = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        return VerificationRequest(
            app: app, purpose: .register, challenge: challenge,
            evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)])
    }

    /// Evidence with an upload, under the next counter or the given one.
    mutating func upload(
        _ challenge: [UInt8], _ payload: [UInt8] = Array("photo".utf8), counter: UInt32? = nil
    ) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .assert, challenge: challenge, payload: payload))
        let body = try key.assert(clientDataHash: data.hash, changes: counter.map { .genuine.counter($0) } ?? .genuine)
        return VerificationRequest(
            app: app, purpose: .assert, challenge: challenge,
            evidence: [Evidence(format: .appAttestAssertion, keyID: key.keyID, body: body)],
            binding: .clientData(payloadHash: ClientData.payloadHash(payload)))
    }

    func challenge(_ purpose: Purpose, _ client: AssayClient) async throws -> [UInt8] {
        try await client.issueChallenge(app: app, purpose: purpose, timeout: Self.patience).bytes
    }

    func register(_ client: AssayClient) async throws -> Assay_V1_Verdict {
        try await client.patiently(try registration(try await challenge(.register, client)))
    }

    mutating func upload(_ client: AssayClient) async throws -> Assay_V1_Verdict {
        try await client.patiently(try upload(try await challenge(.assert, client)))
    }
}

extension AssayClient {
    /// With a deadline for a slow machine.
    func patiently(_ request: VerificationRequest) async throws -> Assay_V1_Verdict {
        try await verify(request, timeout: TestPhone.patience)
    }
}

extension Assay_V1_Verdict {
    /// `accepted`, or the reason.
    var outcome: String { decision == .accepted ? "accepted" : reason }
}
