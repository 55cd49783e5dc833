/// The facts about certificates that the pipeline reads before it judges a request. Nothing here changes the ledger, and
/// `VerdictLedger.commit` checks again what can change.
public protocol CertificateFacts: Sendable {
    /// The certificate with an issuer and serial number; `nil` if it is not on record.
    func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate?

    /// The certificate of an app for a key; `nil` if there is none. A key is certified once in an app.
    ///
    /// - Parameter keyID: SHA-256 of the key's SubjectPublicKeyInfo, 32 bytes.
    func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate?

    /// The number of submissions that were counted for a device in the 24 hours up to `now`. Hours are counted whole: up to an hour
    /// more is included.
    func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64
}

/// The certificates that were issued, and their revocation. `VerdictLedger.commit` and `EnrolmentRegistry.provision` add them.
///
/// - No two certificates have one issuer and serial number, and no two of an app have one key. Records are never removed.
/// - A revocation is in force when the call returns: entries that rest on the certificate and are committed after it are refused. It
///   is never lifted, and never changed by a second one.
/// - A certificate that was renewed keeps the name of the one before it (`DeviceCertificate.renewedFrom`), which is on record.
/// - `BlockRegistry.block` revokes the certificates of all registered devices of the target (`privilegeWithdrawn`), and
///   `DeviceRegistry.forget` those of the device (`cessationOfOperation`) and removes their DER, each in its transaction. `unblock`
///   changes no certificate.
/// - Each change is durable on return and recorded in the audit log in the same transaction.
public protocol CertificateRegistry: CertificateFacts {
    /// Revokes a certificate. `nil` if it is not on record.
    ///
    /// For a reason that `revokesRenewals`, certificates that descend from it are revoked in the same transaction, for the same reason,
    /// whether or not it was revoked before: first those that were renewed from it, then those that were renewed from these, and so on,
    /// each generation in the order of issue. One call revokes at most `RevocationChange.renewalLimit` of them; the same call again
    /// revokes the others.
    ///
    /// - Returns: the certificate with the revocation in force, whether this call made it, and the others that it revoked.
    func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange?

    /// The certificates of an app with a serial number, of any CA, in the order in which they were issued. Assay's own serial numbers
    /// are random, so that more than one stem from CAs that were taken over.
    ///
    /// - Parameter serial: as `CertificateName` has it.
    func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate]

    /// A page of certificates, in the order in which they were issued. A listing shows each certificate that was on record during all
    /// of it exactly once.
    func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage

    /// The certificates of each of the devices, counted by their state at `time`. A device for which none was issued is left out.
    ///
    /// - Parameter devices: at most some hundred.
    func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts]

    /// The revoked certificates of one CA that had not expired at `time`, ordered by serial number.
    func revocations(of issuer: [UInt8], validAt time: Timestamp) async throws(LedgerError) -> [RevokedCertificate]

    /// The number of revocations of one CA's certificates so far: it rises with each.
    func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64

    /// The instant at which the last certificate of a CA ends; `nil` if it issued none.
    func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp?

    /// The list that was kept last for a CA; `nil` if there is none.
    func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList?

    /// Keeps a list in place of the one before. False, and no change, unless its number is greater than that of the kept list: another
    /// daemon was faster. Durable on return; the audit log does not record it.
    func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool
}

/// The result of a revocation.
public struct RevocationChange: Hashable, Sendable {
    /// With the revocation in force: that of this call, or of an earlier one.
    public let certificate: DeviceCertificate
    public let wasRevoked: Bool
    /// The certificates that descend from it and that this call revoked, each behind the one that it was renewed from.
    public let renewals: [CertificateName]
    /// True if others that descend from it are not revoked yet: there are more than one call revokes.
    public let hasMoreRenewals: Bool

    /// The most descendants that one call revokes, so that no transaction is long. A device has one or two.
    public static let renewalLimit = 1000

    public init(
        certificate: DeviceCertificate, wasRevoked: Bool, renewals: [CertificateName] = [], hasMoreRenewals: Bool = false
    ) {
        (self.certificate, self.wasRevoked) = (certificate, wasRevoked)
        (self.renewals, self.hasMoreRenewals) = (renewals, hasMoreRenewals)
    }
}

/// A query for a page of certificates of one app.
public struct CertificateListing: Hashable, Sendable {
    public let app: AppID
    /// Only those of this device; `nil`: of any.
    public let device: DeviceID?
    /// Only those of the devices that were provisioned under this serial number of a fleet, replaced ones included; `nil`: of any.
    public let deviceSerial: [UInt8]?
    /// Only revoked ones, or only others; `nil`: both.
    public let isRevoked: Bool?
    /// `CertificatePage.next` of the page before; 0 for the first page.
    public var position: Int64
    /// The most certificates on the page.
    public let limit: Int

    public init(
        app: AppID, device: DeviceID? = nil, deviceSerial: [UInt8]? = nil, isRevoked: Bool? = nil, position: Int64 = 0,
        limit: Int
    ) {
        (self.app, self.device, self.deviceSerial, self.isRevoked) = (app, device, deviceSerial, isRevoked)
        (self.position, self.limit) = (position, limit)
    }
}

/// The certificates that were issued for one device, by their state at a time.
public struct CertificateCounts: Hashable, Sendable {
    /// Neither revoked nor ended.
    public var good: Int
    public var revoked: Int
    /// Ended and not revoked.
    public var expired: Int

    public init(good: Int = 0, revoked: Int = 0, expired: Int = 0) {
        (self.good, self.revoked, self.expired) = (good, revoked, expired)
    }
}

/// A page of certificates. May be short or empty although more pages follow.
public struct CertificatePage: Hashable, Sendable {
    public let certificates: [DeviceCertificate]
    /// The position of the next page; `nil` on the last.
    public let next: Int64?

    public init(certificates: [DeviceCertificate], next: Int64?) { (self.certificates, self.next) = (certificates, next) }
}

/// An entry of a revocation list.
public struct RevokedCertificate: Hashable, Sendable {
    public let serial: [UInt8]
    public let revocation: CertificateRevocation
    public init(serial: [UInt8], revocation: CertificateRevocation) { (self.serial, self.revocation) = (serial, revocation) }
}

/// A signed revocation list as the ledger keeps it.
public struct StoredRevocationList: Hashable, Sendable {
    /// SHA-256 of the CA's SubjectPublicKeyInfo, 32 bytes.
    public let issuer: [UInt8]
    /// The CRL number (RFC 5280 §5.2.3).
    public let number: Int64
    public let thisUpdate: Timestamp
    public let nextUpdate: Timestamp
    /// `CertificateRegistry.revocationCount` when the list was made: a greater count asks for a new list. Or `passed`.
    public let revocationCount: Int64
    public let der: [UInt8]

    /// The count of a list that was kept when the ledger may have gone back to an earlier state. A list with a greater number may have been
    /// published since, after which this one is not given out (RFC 5280 §5.2.3): the next one is.
    public static let passed: Int64 = -1

    public init(
        issuer: [UInt8], number: Int64, thisUpdate: Timestamp, nextUpdate: Timestamp, revocationCount: Int64, der: [UInt8]
    ) {
        (self.issuer, self.number, self.thisUpdate, self.nextUpdate) = (issuer, number, thisUpdate, nextUpdate)
        (self.revocationCount, self.der) = (revocationCount, der)
    }
}
