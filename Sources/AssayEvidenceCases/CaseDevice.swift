import AssayCore
import AssaySimulator

/// A virtual device with the key that it uses now.
struct CaseDevice {
    enum Key {
        case apple(VirtualKey)
        case google(AndroidKey)
    }

    let platform: CasePlatform
    var key: Key

    /// A new device under the policy's authorities, with a new key.
    init(_ platform: CasePlatform, _ policy: CasePolicy) throws(SimulatorError) {
        self.platform = platform
        switch platform {
        case .iPhone, .mac:
            var phone = policy.phone(platform)
            key = .apple(phone.makeKey())
        case .android:
            var device = policy.android()
            key = .google(try device.makeKey())
        }
    }

    init(_ platform: CasePlatform, _ key: Key) { (self.platform, self.key) = (platform, key) }

    var keyID: [UInt8] {
        switch key {
        case .apple(let key): key.keyID
        case .google(let key): key.keyID
        }
    }

    /// The key's attestation over client data.
    func attest(_ data: ClientData, at now: Timestamp) throws(SimulatorError) -> Evidence {
        switch key {
        case .apple(let key): try Self.attest(key, data, at: now)
        case .google(let key): try Self.attest(key, data, at: now)
        }
    }

    static func attest(
        _ key: VirtualKey, _ data: ClientData, at now: Timestamp, _ changes: AttestationChanges = .genuine
    ) throws(SimulatorError) -> Evidence {
        let body = try key.attest(clientDataHash: data.hash, at: now, changes: changes)
        return Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)
    }

    static func attest(
        _ key: AndroidKey, _ data: ClientData, at now: Timestamp, _ changes: KeyAttestationChanges = CasePolicy.genuineKey
    ) throws(SimulatorError) -> Evidence {
        chain(try key.attest(challenge: data.bytes, at: now, changes: changes))
    }

    static func chain(_ certificates: [[UInt8]]) -> Evidence {
        Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(certificates))
    }

    /// The key's signature over client data: an assertion with the next counter, or a signature.
    mutating func sign(
        _ data: ClientData, _ changes: AssertionChanges = .genuine
    ) throws(SimulatorError) -> Evidence {
        switch key {
        case .apple(var apple):
            let body = try apple.assert(clientDataHash: data.hash, changes: changes)
            key = .apple(apple)
            return Evidence(format: .appAttestAssertion, keyID: apple.keyID, body: body)
        case .google(let google): return try Self.sign(data, by: google.key, as: google.keyID)
        }
    }

    /// A signature by any key, under the id of a registered one.
    static func sign(_ data: ClientData, by key: TestKey, as keyID: [UInt8]) throws(SimulatorError) -> Evidence {
        let parts = [[key.usualScheme.rawValue], try key.sign(data.bytes, by: key.usualScheme)]
        return Evidence(format: .keySignature, keyID: keyID, body: Evidence.join(parts))
    }

    /// What a forger sends who does not have the registered key.
    mutating func forge(_ data: ClientData) throws(SimulatorError) -> Evidence {
        switch key {
        case .apple: return try sign(data, .genuine.signer(TestSigningKey(.p256)))
        case .google(let google): return try Self.sign(data, by: TestKey(.p256), as: google.keyID)
        }
    }
}
