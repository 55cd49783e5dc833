// Until the ledgers keep certificates.
extension CertificateFacts {
    public func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? { nil }
    public func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? { nil }
    public func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 { 0 }
}
extension CertificateRegistry {
    public func revoke(_ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext) async throws(LedgerError)
        -> RevocationChange?
    { nil }
    public func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        CertificatePage(certificates: [], next: nil)
    }
    public func revocations(of issuer: [UInt8], validAt time: Timestamp) async throws(LedgerError) -> [RevokedCertificate] {
        []
    }
    public func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 { 0 }
    public func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? { nil }
    public func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? { nil }
    public func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool { false }
}
extension EnrolmentRegistry {
    public func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] { [] }
    public func removeEnrolment(_ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext) async throws(LedgerError)
        -> Bool
    { false }
    public func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        EnrolmentPage(enrolments: [], next: nil)
    }
    public func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? { nil }
    public func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? { nil }
    public func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome { .refused(.notEnrolled) }
}
