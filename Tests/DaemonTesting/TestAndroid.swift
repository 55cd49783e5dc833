import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Testing

/// A virtual Android device and the service that sends its evidence.
struct TestAndroid: Sendable {
    static let package = "com.example.camera"
    static let signer = [UInt8](repeating: 0x19, count: 32)

    let key: AndroidKey
    let app: AppID

    /// A device with a new key, under the authority that the home's daemon trusts.
    ///
    /// - Parameter app: by default that of the home.
    init(
        _ home: TestHome, level: VirtualAndroid.Level = .trustedEnvironment, kind: TestKey.Kind = .p256,
        app: AppID? = nil, edit: (inout VirtualAndroid) -> Void = { _ in }
    ) throws {
        var device = VirtualAndroid(
            authority: try #require(home.android),
            application: AttestedApplicationDraft(Self.package, signer: Self.signer), level: level)
        edit(&device)
        key = try device.makeKey(kind)
        self.app = app ?? home.app
    }

    func challenge(_ purpose: Purpose, _ client: AssayClient) async throws -> [UInt8] {
        try await client.issueChallenge(app: app, purpose: purpose, timeout: TestPhone.patience).bytes
    }

    func register(_ client: AssayClient, at time: Timestamp? = nil) async throws -> Assay_V1_Verdict {
        let challenge = try await challenge(.register, client)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        let chain = try key.attest(challenge: data.bytes, at: time ?? SystemClock().now())
        return try await client.patiently(
            VerificationRequest(
                app: app, purpose: .register, challenge: challenge,
                evidence: [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))]))
    }

    /// Evidence with an upload.
    func upload(_ challenge: [UInt8], _ payload: [UInt8] = Array("photo".utf8)) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .assert, challenge: challenge, payload: payload))
        let parts = [[key.key.usualScheme.rawValue], try key.sign(data.bytes)]
        return VerificationRequest(
            app: app, purpose: .assert, challenge: challenge,
            evidence: [Evidence(format: .keySignature, keyID: key.keyID, body: Evidence.join(parts))],
            binding: .clientData(payloadHash: data.payloadHash))
    }
}
