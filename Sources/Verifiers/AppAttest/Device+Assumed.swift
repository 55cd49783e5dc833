import AssayCertificates
import AssayCore
import Crypto

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
