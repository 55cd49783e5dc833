import AssayCore
import Crypto
import Foundation

/// The two public keys of a device: 32 bytes of an X25519 key, to which secrets are sealed, and 64 bytes of a P-256 key, which signs.
struct TwoStepKeys {
    static let length = 96

    let bytes: [UInt8]
    let sealing: Curve25519.KeyAgreement.PublicKey
    let signing: P256.Signing.PublicKey

    init(_ sealing: Curve25519.KeyAgreement.PublicKey, _ signing: P256.Signing.PublicKey) {
        (self.sealing, self.signing) = (sealing, signing)
        bytes = Array(sealing.rawRepresentation) + Array(signing.rawRepresentation)
    }

    /// `nil` for what is not two keys.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length,
            let sealing = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes.prefix(32)),
            let signing = try? P256.Signing.PublicKey(rawRepresentation: bytes.dropFirst(32))
        else { return nil }
        self.init(sealing, signing)
    }

    /// What a secret is made for.
    var context: [UInt8] { SHA256.bytes(of: bytes) }
}

/// Seals a secret to a device's first key, for its second one (RFC 9180, base mode). The request is both keys; the answer is 32 bytes of the
/// encapsulated key and the sealed secret.
struct TwoStepPreparer: EvidencePreparer {
    /// How long a secret is good, in milliseconds.
    static let lifetime: Int64 = 60_000
    static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    let secrets: PreparationSecrets

    func prepare(_ body: [UInt8], for app: AppID, at now: Timestamp) async throws(PreparationFailure) -> Preparation {
        guard let keys = TwoStepKeys(body) else {
            throw .refused(Rejection(.malformed, "want two public keys, have \(body.count) bytes"))
        }
        let expiry = now.adding(milliseconds: Self.lifetime)
        let secret = secrets.secret(of: TwoStepVerifier.format, app: app, context: keys.context, expiry: expiry)
        do {
            var sender = try HPKE.Sender(
                recipientKey: keys.sealing, ciphersuite: Self.suite, info: keys.signing.rawRepresentation)
            let sealed = try sender.seal(Data(secret))
            return Preparation(body: Array(sender.encapsulatedKey) + Array(sealed), expiry: expiry)
        } catch {
            throw .refused(Rejection(.unsupportedKey, "nothing can be sealed to the first key"))
        }
    }
}
