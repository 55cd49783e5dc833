import AssayCertificates
import AssayCore

/// The certificates of a bundle that led to an anchor, and what a verifier reads in them.
///
/// All of it follows from the certificates and from what is fixed for the verifier: its anchors, its arc, its fleet. What depends on time,
/// revocation, record and device is not in it, and is judged at every use.
final class TrustedCertificates: Sendable {
    let encoding: PresentedCertificates.Encoding
    let chain: ValidatedChain
    /// What names the leaf in a registry.
    let name: CertificateName
    /// The leaf's serial number, in hexadecimal.
    let serial: String
    /// SHA-256 of the leaf.
    let digest: [UInt8]
    /// SHA-256 of the leaf's SubjectPublicKeyInfo.
    let keyID: [UInt8]
    /// The leaf's key, or why it cannot be read.
    let key: Result<PublicKey, Rejection>
    /// For each certificate of the chain its serial number, and SHA-256 of its issuer's SubjectPublicKeyInfo.
    let links: [(serial: [UInt8], issuer: [UInt8])]
    /// The serial number of the device by the leaf's subject.
    let deviceSerial: String?
    let fleet: FleetExtensions
    /// The key id of the device whose secret is in the leaf, or why there is none.
    let deviceKeyID: Result<[UInt8], Rejection>

    init(
        _ encoding: PresentedCertificates.Encoding, _ chain: ValidatedChain, _ fleet: FleetExtensions,
        deviceKeyID: Result<[UInt8], Rejection>
    ) {
        let leaf = chain.leaf
        (self.encoding, self.chain, self.fleet, self.deviceKeyID) = (encoding, chain, fleet, deviceKeyID)
        (name, serial) = (chain.name, SerialNumber.hexadecimal(leaf.serial))
        (digest, keyID, deviceSerial) = (leaf.digest, leaf.publicKey.sha256, leaf.deviceSerial)
        key = Result { () throws(Rejection) in try chain.leafKey() }
        let issuers = chain.authorities.map(\.publicKey.sha256) + [chain.anchor.publicKeySHA256]
        links = zip(chain.serials, issuers).map { ($0, $1) }
    }
}
