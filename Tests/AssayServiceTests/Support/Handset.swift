import AssayCore
import AssaySimulator
import AssayTesting
import Testing

/// A virtual phone with one key and the app's SDK on it: it makes requests as an upload handler sends them.
struct Handset: Sendable {
    static let appID = "TEAMID1234.com.example.camera"
    static let authority = TestAuthority(seed: "service tests")
    static let stranger = TestAuthority(seed: "a stranger to the service tests")

    let app: AppID
    var key: VirtualKey

    init(
        app: AppID = .camera, authority: TestAuthority = Self.authority, environment: VirtualPhone.Environment = .production,
        osVersion: String = "27.0"
    ) {
        self.app = app
        var phone = VirtualPhone(authority: authority, appID: Self.appID, environment: environment, osVersion: osVersion)
        key = phone.makeKey()
    }

    /// Attests the key over Assay's client data.
    func registration(
        _ challenge: [UInt8], payload: [UInt8]? = nil, at time: Timestamp = ServiceHarness.opening,
        changes: AttestationChanges = .genuine
    ) throws -> VerificationRequest {
        let data = try clientData(.register, challenge, payload)
        return VerificationRequest(
            app: app, purpose: .register, challenge: challenge,
            evidence: [try attestation(over: data.hash, at: time, changes: changes)],
            binding: .clientData(payloadHash: data.payloadHash))
    }

    /// Signs Assay's client data.
    mutating func assertion(
        _ challenge: [UInt8], payload: [UInt8]? = nil, changes: AssertionChanges = .genuine
    ) throws -> VerificationRequest {
        let data = try clientData(.assert, challenge, payload)
        return VerificationRequest(
            app: app, purpose: .assert, challenge: challenge, evidence: [try assertion(over: data.hash, changes: changes)],
            binding: .clientData(payloadHash: data.payloadHash))
    }

    func attestation(
        over hash: [UInt8], at time: Timestamp = ServiceHarness.opening, changes: AttestationChanges = .genuine
    ) throws -> Evidence {
        Evidence(
            format: .appAttestAttestation, keyID: key.keyID,
            body: try key.attest(clientDataHash: hash, at: time, changes: changes))
    }

    mutating func assertion(over hash: [UInt8], changes: AssertionChanges = .genuine) throws -> Evidence {
        Evidence(
            format: .appAttestAssertion, keyID: key.keyID, body: try key.assert(clientDataHash: hash, changes: changes))
    }

    /// What the SDK lets the device sign. The challenge may be of any length: bytes that are none are cut or filled.
    private func clientData(_ purpose: Purpose, _ challenge: [UInt8], _ payload: [UInt8]?) throws -> ClientData {
        let whole = Array((challenge + [UInt8](repeating: 0, count: Challenge.length)).prefix(Challenge.length))
        return try #require(
            ClientData(purpose: purpose, challenge: whole, payloadHash: payload.map(ClientData.payloadHash)))
    }
}

extension AppID {
    static let camera = known("camera")
    static let notes = known("notes")

    private static func known(_ text: String) -> AppID {
        guard let app = AppID(text) else { preconditionFailure("an app id of these tests is not one") }
        return app
    }
}
