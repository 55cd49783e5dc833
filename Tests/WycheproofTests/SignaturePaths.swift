import AssayCertificates
import AssayCore
import AssaySchemes
import Crypto
import KeySignature
import Testing

@testable import CertificateBundle

/// The paths of signatures over messages.
enum SignaturePaths {
    /// A signature over client data by a registered key: format `key.signature`, through its verifier.
    static func keySignature(
        _ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector, by algorithm: KeySignatureAlgorithm
    ) throws -> Bool {
        try keySignature(
            group.publicKeyDer.bytes, message: vector.msg.bytes, signature: vector.sig.bytes, by: algorithm)
    }

    /// - Parameter key: its SubjectPublicKeyInfo, as the registry has it.
    static func keySignature(
        _ key: [UInt8], message: [UInt8], signature: [UInt8], by algorithm: KeySignatureAlgorithm
    ) throws -> Bool {
        let keyID = [UInt8](repeating: 7, count: 32)
        let device = Device(
            id: .random(), app: try #require(AppID("wycheproof")), subject: nil,
            registration: Registration(
                format: .keyAttestation, keyID: keyID, publicKey: key, environment: "", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: true),
            registeredAt: Timestamp(unixSeconds: 1))
        let appraisal = KeySignatureVerifier(judges: [EveryDevice()]).appraise(
            Evidence(format: .keySignature, keyID: keyID, body: Evidence.join([[algorithm.rawValue], signature])),
            in: AppraisalContext(
                binding: Binding(embedded: message), facts: Facts(device: device), now: Timestamp(unixSeconds: 2)))
        return appraisal.failure == nil
    }

    /// A signature on a certificate, by its issuer's key.
    static func certificate(
        _ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector, by algorithm: SignatureAlgorithm
    ) throws -> Bool {
        let (info, signature, message) = (try group.publicKeyDer.bytes, try vector.sig.bytes, try vector.msg.bytes)
        do throws(Rejection) {
            let key = try PublicKey(SubjectPublicKeyInfo(der: info[...]))
            try key.verify(signature[...], by: algorithm, over: message[...])
            return true
        } catch {
            return false
        }
    }

    /// The signature of a certificate bundle, by the certified key: 64 bytes or DER.
    static func bundle(_ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector) throws -> Bool {
        let (info, signature, message) = (try group.publicKeyDer.bytes, try vector.sig.bytes, try vector.msg.bytes)
        do throws(Rejection) {
            guard case .p256(let key) = try PublicKey(SubjectPublicKeyInfo(der: info[...])) else { return false }
            return try BundleSignature(parsing: signature).isValid(by: key, over: Array(SHA256.hash(data: message)))
        } catch {
            return false
        }
    }
}

/// Judges every registered device as good, so that the signature alone decides.
private struct EveryDevice: RegisteredDeviceAppraiser {
    let format: EvidenceFormat = .keyAttestation
    let signsMessages = true

    func judge(_ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal) throws(Rejection) {
        appraisal.assurance = .hardware
    }
}
