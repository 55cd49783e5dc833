import AssayClient
import AssayCore
import AssaySimulator

/// Android devices under one service of remote provisioning: each has an attestation key of its own, and all have the same issuers.
struct AndroidDevices: Sendable {
    private let authority: AndroidAuthority
    /// The certificates above those of attestation keys: Google's two, and the root.
    private let issuers: [[UInt8]]

    init(_ authority: AndroidAuthority) throws {
        self.authority = authority
        let chain = try Self.makeKey(authority).attest(challenge: [0], at: SystemClock().now())
        issuers = Array(chain.dropFirst(2))
    }

    /// A key of a new device.
    func makeKey() throws -> AndroidKey { try Self.makeKey(authority) }

    private static func makeKey(_ authority: AndroidAuthority) throws -> AndroidKey {
        let application = AttestedApplicationDraft(
            DaemonConfiguration.package, signer: DaemonConfiguration.packageSigner)
        var device = VirtualAndroid(authority: authority, application: application)
        return try device.makeKey()
    }

    /// A registration by an attestation, with a challenge of its own. The simulator would sign the issuers' certificates again for each.
    func registration(of key: AndroidKey, over client: AssayClient) async throws -> VerificationRequest {
        let app = try DaemonConfiguration.phoneApp
        let challenge = try await client.issueChallenge(app: app, purpose: .register)
        let data = try ClientData.signed(.register, challenge.bytes)
        let chain = try key.attest(challenge: data.bytes, at: SystemClock().now()).prefix(2) + issuers
        return VerificationRequest(
            app: app, purpose: .register, challenge: challenge.bytes,
            evidence: [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(Array(chain)))])
    }
}
