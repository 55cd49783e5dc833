import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

/// Virtual iPhones.
enum Phones {
    static func register(
        _ count: Int, with daemon: DaemonProcess, over client: AssayClient
    ) async throws -> [VirtualKey] {
        var phone = VirtualPhone(authority: daemon.authority, appID: DaemonConfiguration.appID)
        var keys = (0..<count).map { _ in phone.makeKey() }
        _ = try await Requests.made(by: &keys) { _, key in
            try await client.verify(try await registration(of: key, over: client)).requireAccepted()
            return []
        }
        return keys
    }

    /// A registration by an attestation, with a challenge of its own.
    static func registration(of key: VirtualKey, over client: AssayClient) async throws -> VerificationRequest {
        let app = try DaemonConfiguration.phoneApp
        let challenge = try await client.issueChallenge(app: app, purpose: .register)
        let data = try ClientData.signed(.register, challenge.bytes)
        let attestation = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        return VerificationRequest(
            app: app, purpose: .register, challenge: challenge.bytes,
            evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: attestation)])
    }

    /// Signs uploads, each with a challenge of its own.
    static func uploads(
        _ count: Int, of key: inout VirtualKey, to app: AppID, over client: AssayClient, asking results: [ResultRequest] = []
    ) async throws -> [PlainFrame.Request] {
        var uploads: [PlainFrame.Request] = []
        for _ in 0..<count {
            let challenge = try await client.issueChallenge(app: app, purpose: .assert)
            var request = try upload(of: &key, to: app, under: challenge.bytes)
            request.results = results
            uploads.append(try .verify(request))
        }
        return uploads
    }

    /// An upload with an assertion.
    static func upload(
        of key: inout VirtualKey, to app: AppID, under challenge: [UInt8], changes: AssertionChanges = .genuine
    ) throws -> VerificationRequest {
        let data = try ClientData.signed(.assert, challenge, payload: Uploaded.payload)
        let assertion = try key.assert(clientDataHash: data.hash, changes: changes)
        return Uploaded.request(
            to: app, data, Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion))
    }
}
