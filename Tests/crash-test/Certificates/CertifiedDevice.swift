import AssayCertificates
import AssayCore
import AssaySimulator

/// A device with certificates: each after the first was renewed from the one before.
struct CertifiedDevice: Sendable {
    let app: AppID
    /// 16 bytes.
    let id: [UInt8]
    /// In the order of issue.
    var certificates: [IssuedCertificate]
    /// The number of bundles that were accepted; `nil`: what is counted for the last 24 hours is undetermined.
    var submissions: Int? = 0
    /// What ended the device, or one of its certificates. The load does not use the device after it.
    var ending: Ending?

    /// What an operator did to a device.
    struct Ending: Sendable {
        let kind: Kind
        /// It was answered. Otherwise its state is unknown.
        var isCertain: Bool

        enum Kind: Hashable, Sendable {
            /// Revokes all certificates.
            case block
            /// Of the certificate at an index; a compromised key revokes those after it too.
            case revocation(Int, RevocationReason)
        }
    }

    /// Why the certificate at an index is revoked; `nil` if it is not.
    func revocation(at index: Int) -> RevocationReason? {
        switch ending?.kind {
        case nil: nil
        case .block: .privilegeWithdrawn
        case .revocation(let revoked, let reason):
            index == revoked || index > revoked && reason.revokesRenewals ? reason : nil
        }
    }

    /// Whether the load may use the device: a certificate that was issued under a clock that was stepped is valid at an unknown time.
    var isUsable: Bool { ending == nil && !certificates.contains(where: \.isOutOfTime) }
    /// The serial number of a camera.
    var serial: String { certificates.first?.request.signer.serial ?? "" }
}

/// A certificate that a caller received, or that the ledger turned out to have.
struct IssuedCertificate: Sendable {
    let request: CertificateRequest
    let der: [UInt8]
    /// The certificate's, as an unsigned big-endian integer.
    let serial: [UInt8]
    /// SHA-256 of the DER.
    let digest: [UInt8]
    /// The digest of the whole answer; `nil`: it was lost, and only the ledger's state shows its effect.
    let answer: [UInt8]?
    /// Issued under a clock that was stepped.
    let isOutOfTime: Bool
    /// Rises with each certificate that was received.
    var number = 0
    private let time = ContinuousClock.now

    /// Whether the answer may be kept no more: as long as the challenge lives, which is an hour, and was issued some seconds before.
    var mayHaveExpired: Bool { time.duration(to: .now) > .seconds(3300) }

    init(_ request: CertificateRequest, der: [UInt8], answer: [UInt8]?, isOutOfTime: Bool) throws {
        let certificate = try Certificate(der: der[...])
        (self.request, self.der, self.answer, self.isOutOfTime) = (request, der, answer, isOutOfTime)
        (serial, digest) = (certificate.serial, certificate.digest)
    }
}
