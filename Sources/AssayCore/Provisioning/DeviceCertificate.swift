/// A certificate that Assay issued to a device, as the registry keeps it. Its device never changes.
public struct DeviceCertificate: Hashable, Sendable {
    public let name: CertificateName
    public let app: AppID
    public let device: DeviceID
    /// SHA-256 of the certificate's SubjectPublicKeyInfo, 32 bytes.
    public let keyID: [UInt8]
    public let notBefore: Timestamp
    /// The last instant at which the certificate is valid.
    public let notAfter: Timestamp
    public let issuedAt: Timestamp
    public let basis: CertificateBasis
    /// The certificate (DER); empty after its device was forgotten.
    public let der: [UInt8]
    /// The certificate from which this one was renewed; `nil` if it was issued in another way, or by a version of Assay that did not
    /// record it.
    public var renewedFrom: CertificateName?
    /// `nil` unless it is revoked. A revocation is never lifted.
    public var revocation: CertificateRevocation?

    public init(
        name: CertificateName, app: AppID, device: DeviceID, keyID: [UInt8], notBefore: Timestamp, notAfter: Timestamp,
        issuedAt: Timestamp, basis: CertificateBasis, der: [UInt8], renewedFrom: CertificateName? = nil,
        revocation: CertificateRevocation? = nil
    ) {
        (self.name, self.app, self.device, self.keyID) = (name, app, device, keyID)
        (self.notBefore, self.notAfter, self.issuedAt) = (notBefore, notAfter, issuedAt)
        (self.basis, self.der, self.renewedFrom, self.revocation) = (basis, der, renewedFrom, revocation)
    }
}

/// What identifies a certificate: its issuer and its serial number (RFC 5280 §4.1.2.2).
public struct CertificateName: Hashable, Sendable {
    /// SHA-256 of the issuing CA's SubjectPublicKeyInfo, 32 bytes.
    public let issuer: [UInt8]
    /// The serial number as an unsigned big-endian integer without leading zeros, 1 to 20 bytes.
    public let serial: [UInt8]

    public init(issuer: [UInt8], serial: [UInt8]) { (self.issuer, self.serial) = (issuer, serial) }

    /// SHA-256 over a label, issuer and serial number, each behind its length (`FieldDigest`).
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.certificate-name.v1")
        hash.append(issuer)
        hash.append(serial)
        return hash.finalize()
    }
}

/// What a certificate rests on: the verdict, or the word of a provisioning service, on which it was issued.
public struct CertificateBasis: Hashable, Sendable {
    /// The assurance of the certificate: that of the verdict, bounded by what the protection of the key allows.
    public let assurance: Assurance
    public let protection: KeyProtection
    /// The format of the evidence that registered the device, such as `key-attestation.chain`.
    public let platform: EvidenceFormat
    /// SHA-256 of the app's policy as it was in force, 32 bytes.
    public let policyDigest: [UInt8]
    /// True if trust rests on a test root.
    public let simulated: Bool

    public init(
        assurance: Assurance, protection: KeyProtection, platform: EvidenceFormat, policyDigest: [UInt8], simulated: Bool
    ) {
        (self.assurance, self.protection, self.platform) = (assurance, protection, platform)
        (self.policyDigest, self.simulated) = (policyDigest, simulated)
    }
}

/// What is known about the place of a certificate's private key. Raw values are stored and stand in certificates.
public enum KeyProtection: UInt8, CaseIterable, Hashable, Sendable {
    /// The platform attested the certified key itself.
    case attested = 1
    /// An attested key vouches for the certified key, about which the platform says nothing.
    case vouched = 2
    /// A provisioning service vouches for the device, which proved possession of the key.
    case provisioned = 3
    /// Assay made the key and sent it to the provisioning service.
    case generated = 4

    public var name: String {
        switch self {
        case .attested: "attested"
        case .vouched: "vouched"
        case .provisioned: "provisioned"
        case .generated: "generated"
        }
    }
}

/// The revocation of a certificate.
public struct CertificateRevocation: Hashable, Sendable {
    public let reason: RevocationReason
    public let time: Timestamp
    public init(_ reason: RevocationReason, at time: Timestamp) { (self.reason, self.time) = (reason, time) }
}

/// Why a certificate is revoked: CRLReason of RFC 5280 §5.3.1, without `certificateHold` and `removeFromCRL`, since a revocation is
/// never lifted. Raw values are those of the standard.
public enum RevocationReason: UInt8, CaseIterable, Hashable, Sendable {
    case unspecified = 0
    case keyCompromise = 1
    case cACompromise = 2
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
    case privilegeWithdrawn = 9
    case aACompromise = 10

    /// Whether the certificates that were renewed from the revoked one are revoked too: a thief of its key may have renewed it.
    public var revokesRenewals: Bool { self == .keyCompromise }

    /// As the standard writes it.
    public var name: String {
        switch self {
        case .unspecified: "unspecified"
        case .keyCompromise: "keyCompromise"
        case .cACompromise: "cACompromise"
        case .affiliationChanged: "affiliationChanged"
        case .superseded: "superseded"
        case .cessationOfOperation: "cessationOfOperation"
        case .privilegeWithdrawn: "privilegeWithdrawn"
        case .aACompromise: "aACompromise"
        }
    }
}
