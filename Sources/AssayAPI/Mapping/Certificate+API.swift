public import AssayCore
import Foundation
import SwiftProtobuf

extension DeviceCertificate {
    public var message: Assay_V1_DeviceCertificate {
        .with {
            $0.certificate = Data(der)
            $0.serial = Data(name.serial)
            $0.issuerSpkiSha256 = Data(name.issuer)
            $0.app = app.text
            $0.deviceID = Data(device.bytes)
            $0.keyID = Data(keyID)
            $0.notBeforeUnixMs = notBefore.unixMilliseconds
            $0.notAfterUnixMs = notAfter.unixMilliseconds
            $0.issuedAtUnixMs = issuedAt.unixMilliseconds
            $0.assurance = basis.assurance.message
            $0.keyProtection = basis.protection.message
            $0.platform = basis.platform.rawValue
            $0.policyDigest = Data(basis.policyDigest)
            $0.simulated = basis.simulated
            if let renewedFrom { $0.renewedFrom = renewedFrom.message }
            guard let revocation else { return }
            $0.revocation = .with {
                $0.reason = revocation.reason.message
                $0.revokedAtUnixMs = revocation.time.unixMilliseconds
            }
        }
    }
}

extension CertificateName {
    public var message: Assay_V1_CertificateName {
        .with {
            $0.issuerSpkiSha256 = Data(issuer)
            $0.serial = Data(serial)
        }
    }
}

extension KeyProtection {
    public var message: Assay_V1_DeviceCertificate.KeyProtection {
        switch self {
        case .attested: .attested
        case .vouched: .vouched
        case .provisioned: .provisioned
        case .generated: .generated
        }
    }
}

extension RevocationReason {
    public var message: Assay_V1_RevocationReason {
        switch self {
        case .unspecified: .unspecified
        case .keyCompromise: .keyCompromise
        case .cACompromise: .caCompromise
        case .affiliationChanged: .affiliationChanged
        case .superseded: .superseded
        case .cessationOfOperation: .cessationOfOperation
        case .privilegeWithdrawn: .privilegeWithdrawn
        case .aACompromise: .aaCompromise
        }
    }

    /// The field `reason`. Throws for one that this version does not know.
    package init(field reason: Assay_V1_RevocationReason) throws(RequestError) {
        switch reason {
        case .unspecified: self = .unspecified
        case .keyCompromise: self = .keyCompromise
        case .caCompromise: self = .cACompromise
        case .affiliationChanged: self = .affiliationChanged
        case .superseded: self = .superseded
        case .cessationOfOperation: self = .cessationOfOperation
        case .privilegeWithdrawn: self = .privilegeWithdrawn
        case .aaCompromise: self = .aACompromise
        case .UNRECOGNIZED: throw RequestError("reason", "must be a reason that this version knows")
        }
    }
}

extension Enrolment {
    package var message: Assay_V1_Enrolment {
        .with {
            switch permit {
            case .serial(let bytes): $0.serial = String(decoding: bytes, as: UTF8.self)
            case .token(let digest): $0.tokenSha256 = Data(digest)
            }
            $0.deviceFamily = family
            $0.createdAtUnixMs = createdAt.unixMilliseconds
            $0.expiresAtUnixMs = expiry?.unixMilliseconds ?? 0
            $0.usedBy = Data(usedBy?.bytes ?? [])
            $0.replaces = Data(replaces?.bytes ?? [])
        }
    }
}

extension AuthorityFacts {
    package var message: Assay_V1_Authority {
        .with {
            $0.name = name
            $0.spkiSha256 = Data(issuer)
            $0.chain = chain.map { Data($0) }
            $0.notAfterUnixMs = notAfter.unixMilliseconds
            $0.problem = problem ?? ""
            $0.state =
                switch state {
                case .next: .next
                case .signing: .signing
                case .retiring: .retiring
                case .ended: .ended
                }
        }
    }
}

extension StoredRevocationList {
    package var message: Assay_V1_RevocationList {
        .with {
            $0.list = Data(der)
            $0.number = number
            $0.thisUpdateUnixMs = thisUpdate.unixMilliseconds
            $0.nextUpdateUnixMs = nextUpdate.unixMilliseconds
            $0.issuerSpkiSha256 = Data(issuer)
        }
    }
}
