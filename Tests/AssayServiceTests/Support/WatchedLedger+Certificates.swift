import AssayCore
import AssayTesting

/// Certificates and fleets.
extension WatchedLedger {
    func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? {
        try await ask(.certificate) { () async throws(LedgerError) in try await memory.certificate(name) }
    }

    func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? {
        try await ask(.certificate) { () async throws(LedgerError) in
            try await memory.certificate(ofKey: keyID, app: app)
        }
    }

    func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 {
        try await ask(.submissions) { () async throws(LedgerError) in try await memory.submissions(of: device, at: now) }
    }

    func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange? {
        try await ask(.revoke) { () async throws(LedgerError) in try await memory.revoke(name, reason, context) }
    }

    func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] {
        try await ask(.certificates) { () async throws(LedgerError) in
            try await memory.certificates(serial: serial, app: app)
        }
    }

    func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts] {
        try await memory.certificateCounts(of: devices, at: time)
    }
    func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        try await ask(.certificates) { () async throws(LedgerError) in try await memory.certificates(listing) }
    }

    func revocations(of issuer: [UInt8], validAt time: Timestamp) async throws(LedgerError) -> [RevokedCertificate] {
        try await ask(.revocations) { () async throws(LedgerError) in
            try await memory.revocations(of: issuer, validAt: time)
        }
    }

    func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 {
        try await ask(.revocations) { () async throws(LedgerError) in try await memory.revocationCount(of: issuer) }
    }

    func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? {
        try await ask(.revocations) { () async throws(LedgerError) in try await memory.lastExpiry(of: issuer) }
    }

    func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? {
        try await ask(.revocations) { () async throws(LedgerError) in try await memory.revocationList(of: issuer) }
    }

    func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool {
        try await ask(.revocations) { () async throws(LedgerError) in try await memory.keep(list) }
    }

    func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
        try await ask(.enrolments) { () async throws(LedgerError) in try await memory.add(enrolments, context) }
    }

    func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Bool {
        try await ask(.enrolments) { () async throws(LedgerError) in
            try await memory.removeEnrolment(permit, of: app, context)
        }
    }

    func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        try await ask(.enrolments) { () async throws(LedgerError) in try await memory.enrolments(listing) }
    }

    func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? {
        try await ask(.enrolments) { () async throws(LedgerError) in try await memory.enrolment(permit, of: app) }
    }

    func readmit(
        _ readmission: Readmission, _ context: ChangeContext
    ) async throws(LedgerError) -> ReadmissionOutcome {
        try await ask(.enrolments) { () async throws(LedgerError) in try await memory.readmit(readmission, context) }
    }

    func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? {
        try await ask(.fleetDevice) { () async throws(LedgerError) in
            try await memory.fleetDevice(serial: serial, app: app)
        }
    }

    func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? {
        try await ask(.fleetDevice) { () async throws(LedgerError) in
            try await memory.fleetDevice(idempotencyKey: key)
        }
    }

    func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome {
        try await ask(.provision) { () async throws(LedgerError) in try await memory.provision(entry) }
    }
}
