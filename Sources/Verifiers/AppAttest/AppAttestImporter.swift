import AssayCertificates
package import AssayCore
import Crypto

/// Makes registrations of App Attest keys that were attested elsewhere. The operator guarantees what the attestation would have
/// proved (the chain, and that the key is in a Secure Enclave); everything else is compared with the app's identities.
package struct AppAttestImporter: DeviceImporter {
    let identities: [AppAttestIdentity]

    package func registration(of device: ImportedDevice) throws(Rejection) -> Registration {
        guard (try? P256.Signing.PublicKey(x963Representation: device.publicKey)) != nil else {
            throw Rejection(.unsupportedKey, "the public key is not an uncompressed point of P-256")
        }
        let keyID = SHA256.bytes(of: device.publicKey)
        guard device.keyID.isEmpty || device.keyID == keyID else {
            throw Rejection(.keyIDMismatch, "the key id is not the digest of the public key")
        }
        let rpIDHash = SHA256.bytes(of: Array(device.platformApp.utf8))
        guard let identity = identities.named(rpIDHash[...]) else {
            throw Rejection(.appIDMismatch, "the App ID is none of those configured")
        }
        guard let environment = AppAttestEnvironment(bytesOf: device.environment),
            identity.environments.contains(environment)
        else { throw Rejection(.environmentMismatch, "the app does not allow this environment") }
        return Registration(
            format: AppAttestAttestationVerifier.format, keyID: keyID, publicKey: device.publicKey,
            environment: environment.rawValue, anchor: [],
            claims: Claims([
                .init(name: "rp_id_hash", value: .bytes(rpIDHash)),
                .init(name: "environment", value: .text(environment.rawValue)),
                .init(name: "key_id", value: .bytes(keyID)),
                .init(name: "public_key_x963", value: .bytes(device.publicKey)),
                .init(name: "app_id", value: .text(device.platformApp)),
                .init(name: "platform", value: .text(identity.platform.rawValue)),
                .init(name: "imported", value: .boolean(true)),
            ]), chainSerials: [], receipt: [], simulated: false, imported: true)
    }
}

extension Device {
    /// The assumed device of an assertion from outside a registry: registered in production under today's App ID and first
    /// anchor, without further facts. `key` is an uncompressed P-256 point.
    static func assumed(
        key: [UInt8], rpIDHash: [UInt8], anchors: [TrustAnchor], counter: UInt32, at time: Timestamp
    ) -> Device? {
        guard let app = AppID("assumed"), let id = DeviceID(bytes: [UInt8](repeating: 0, count: DeviceID.length)) else {
            return nil
        }
        return Device(
            id: id, app: app, subject: nil,
            registration: Registration(
                format: .appAttestAttestation, keyID: Array(SHA256.hash(data: key)), publicKey: key,
                environment: AppAttestEnvironment.production.rawValue, anchor: anchors.first?.publicKeySHA256 ?? [],
                claims: Claims([Claims.Claim(name: "rp_id_hash", value: .bytes(rpIDHash))]), chainSerials: [], receipt: [],
                simulated: false),
            registeredAt: time, counter: counter)
    }
}
