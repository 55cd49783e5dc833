package import AssayCore
import AssayLedger

extension SQLiteLedger: CertificateRegistry {
    package func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? {
        let (held, epoch) = caches.certificates.certificate(name)
        if let held { return held }
        let found = try await read { reader throws(SQLiteError) in try reader.certificate(name) }
        if let found { caches.certificates.insert(found, readAfter: epoch) }
        return found
    }

    package func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? {
        try await read { reader throws(SQLiteError) in try reader.certificate(ofKey: keyID, app: app) }
    }

    package func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 {
        let (held, epoch) = caches.submissions.count(of: device, at: now)
        if let held { return held }
        let found = try await read { reader throws(SQLiteError) in try reader.submissions(of: device, at: now) }
        caches.submissions.insert(found, readAfter: epoch)
        return found.count
    }

    package func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange? {
        try await write { session throws(SQLiteError) in try session.revoke(name, reason, context) }
    }

    package func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] {
        try await read { reader throws(SQLiteError) in try reader.certificates(serial: serial, app: app) }
    }

    package func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        try await read { reader throws(SQLiteError) in try reader.certificates(listing) }
    }

    package func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts] {
        try await read { reader throws(SQLiteError) in try reader.certificateCounts(of: devices, at: time) }
    }

    package func revocations(
        of issuer: [UInt8], validAt time: Timestamp
    ) async throws(LedgerError) -> [RevokedCertificate] {
        try await read { reader throws(SQLiteError) in try reader.revocations.revocations(of: issuer, validAt: time) }
    }

    package func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 {
        try await read { reader throws(SQLiteError) in try reader.revocations.counts(of: issuer)?.revocations ?? 0 }
    }

    package func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? {
        try await read { reader throws(SQLiteError) in try reader.revocations.counts(of: issuer)?.lastExpiry }
    }

    package func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? {
        try await read { reader throws(SQLiteError) in try reader.revocations.list(of: issuer) }
    }

    package func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool {
        try await write { session throws(SQLiteError) in try session.revocations.keep(list) }
    }
}

extension SQLiteLedger: EnrolmentRegistry {
    package func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
        guard !enrolments.isEmpty else { return [] }
        return try await write(weight: enrolments.count) { session throws(SQLiteError) in
            try session.add(enrolments, context)
        }
    }

    package func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Bool {
        try await write { session throws(SQLiteError) in try session.removeEnrolment(permit, of: app, context) }
    }

    package func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        try await read { reader throws(SQLiteError) in try reader.enrolments(listing) }
    }

    package func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? {
        try await read { reader throws(SQLiteError) in try reader.enrolments.enrolment(permit, of: app) }
    }

    package func readmit(
        _ readmission: Readmission, _ context: ChangeContext
    ) async throws(LedgerError) -> ReadmissionOutcome {
        try await write { session throws(SQLiteError) in try session.readmit(readmission, context) }
    }

    package func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? {
        try await read { reader throws(SQLiteError) in try reader.fleet.device(serial: serial, app: app) }
    }

    package func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? {
        try await read { reader throws(SQLiteError) in try reader.fleet.device(idempotencyKey: key) }
    }

    package func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome {
        try await write { session throws(SQLiteError) in try session.provision(entry) }
    }
}

extension SQLiteLedger: CallerKeyRegistry {
    package func callerKeys() async throws(LedgerError) -> [CallerKey] {
        try await read { reader throws(SQLiteError) in try reader.callerKeys.all() }
    }

    package func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool {
        try await write { session throws(SQLiteError) in try session.add(key, context) }
    }

    package func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? {
        try await write { session throws(SQLiteError) in try session.revokeCallerKey(name, context) }
    }
}
