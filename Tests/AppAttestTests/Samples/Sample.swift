import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator

/// The parties of simulated evidence: one trusted authority, one untrusted one, one app.
enum Sample {
    static let authority = TestAuthority(seed: "sample evidence")
    static let stranger = TestAuthority(seed: "a stranger")
    static let appID = "TEAMID1234.com.example.app"
    static let otherAppID = "TEAMID1234.com.example.other"
    /// When attestations are made, and when they are appraised.
    static let now = Timestamp(unixSeconds: 1_800_000_000)
    static let minute: Int64 = 60_000
    static let clientDataHash = [UInt8](repeating: 0x5A, count: 32)

    static func anchors(_ authority: TestAuthority = authority) throws(Rejection) -> [TrustAnchor] {
        [try TrustAnchor(name: "sample", pem: authority.rootPEM, simulated: true)]
    }

    static func identity(
        _ appID: String = appID, _ platform: AppAttestIdentity.Platform = .iOS,
        environments: Set<AppAttestEnvironment> = [.production]
    ) -> AppAttestIdentity {
        AppAttestIdentity(appID: appID, platform: platform, environments: environments)
    }

    static func phone(
        _ osVersion: String = "27.0", appID: String = appID, environment: VirtualPhone.Environment = .production,
        platform: VirtualPhone.Platform = .iOS, authority: TestAuthority = authority
    ) -> VirtualPhone {
        VirtualPhone(
            authority: authority, appID: appID, environment: environment, platform: platform, osVersion: osVersion,
            seed: "sample phone")
    }

    static func mac(_ osVersion: String = "27.0") -> VirtualPhone { phone(osVersion, platform: .macOS) }

    static func binding(_ clientDataHash: [UInt8] = clientDataHash) -> Binding { Binding(callerOwned: clientDataHash) }

    static func attest(_ key: VirtualKey, changes: AttestationChanges = .genuine) throws -> Evidence {
        Evidence(
            format: AppAttestAttestationVerifier.format, keyID: key.keyID,
            body: try key.attest(clientDataHash: clientDataHash, at: now, changes: changes))
    }

    static func attestationVerifier(
        _ identities: [AppAttestIdentity] = [identity()], anchors: [TrustAnchor]? = nil,
        policy: AppAttestPolicy = AppAttestPolicy(), links: LinkCache = LinkCache()
    ) throws -> AppAttestAttestationVerifier {
        AppAttestAttestationVerifier(
            identities: identities, anchors: try anchors ?? Self.anchors(), receiptAnchors: try anchors ?? Self.anchors(),
            policy: policy, links: links)
    }

    static func assertionVerifier(
        _ identities: [AppAttestIdentity] = [identity()], anchors: [TrustAnchor]? = nil,
        policy: AppAttestPolicy = AppAttestPolicy()
    ) throws -> AppAttestAssertionVerifier {
        AppAttestAssertionVerifier(identities: identities, anchors: try anchors ?? Self.anchors(), policy: policy)
    }
}

/// Simulated evidence that should be valid was refused.
struct Refused: Error {
    let findings: [Finding]
}

extension Sample {
    /// The registration of an accepted attestation.
    static func register(
        _ key: VirtualKey, identities: [AppAttestIdentity] = [identity()], changes: AttestationChanges = .genuine,
        policy: AppAttestPolicy = AppAttestPolicy()
    ) throws -> Registration {
        let appraisal = try attestationVerifier(identities, anchors: try anchors(key.phone.authority), policy: policy)
            .appraise(try attest(key, changes: changes), in: AppraisalContext(binding: binding(), now: now))
        guard appraisal.failure == nil, case .register(let registration) = appraisal.effect else {
            throw Refused(findings: appraisal.findings)
        }
        return registration
    }

    /// A device record of the ledger.
    static func device(_ registration: Registration, counter: UInt32 = 0, window: UInt64 = 1) throws -> Device {
        guard let app = AppID("sample") else { throw Refused(findings: []) }
        return Device(
            id: DeviceID.random(), app: app, subject: nil, registration: registration, registeredAt: now, counter: counter,
            counterWindow: window)
    }

    static func assert(_ key: inout VirtualKey, changes: AssertionChanges = .genuine) throws -> Evidence {
        Evidence(
            format: AppAttestAssertionVerifier.format, keyID: key.keyID,
            body: try key.assert(clientDataHash: clientDataHash, changes: changes))
    }

    static func context(_ device: Device?, binding: Binding = binding()) -> AppraisalContext {
        AppraisalContext(binding: binding, facts: Facts(device: device), now: now)
    }
}
