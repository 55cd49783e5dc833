package import AssayCore

extension PostgresLedger: CertificateRegistry {
    package func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? {
        try await find(CertificateTable.certificate(name))
    }

    package func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? {
        try await find(CertificateTable.certificate(DeviceKey(app: app, keyID: keyID)))
    }

    package func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 {
        try await find(Submissions.count(of: device, at: now))
    }

    package func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange? {
        try await write { transaction throws(PostgresError) in try transaction.revoke(name, reason, context) }
    }

    package func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] {
        try await read { database throws(PostgresError) in
            try CertificateTable(database: database).certificates(serial: serial, app: app)
        }
    }

    package func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        try await read { database throws(PostgresError) in try CertificateScan.page(listing, database) }
    }

    package func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts] {
        guard !devices.isEmpty else { return [:] }
        return try await read { database throws(PostgresError) in
            try CertificateTable(database: database).counts(of: devices, at: time)
        }
    }

    package func revocations(
        of issuer: [UInt8], validAt time: Timestamp
    ) async throws(LedgerError) -> [RevokedCertificate] {
        try await read { database throws(PostgresError) in
            try RevocationTable(database: database).revocations(of: issuer, validAt: time)
        }
    }

    package func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 {
        try await read { database throws(PostgresError) in
            try RevocationTable(database: database).counts(of: issuer)?.revocations ?? 0
        }
    }

    package func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? {
        try await read { database throws(PostgresError) in
            try RevocationTable(database: database).counts(of: issuer)?.lastExpiry
        }
    }

    package func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? {
        try await read { database throws(PostgresError) in try RevocationTable(database: database).list(of: issuer) }
    }

    package func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool {
        try await write { transaction throws(PostgresError) in try RevocationTable(database: transaction.database).keep(list) }
    }
}

extension PostgresLedger: EnrolmentRegistry {
    package func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
        guard !enrolments.isEmpty else { return [] }
        return try await write(weight: enrolments.count) { transaction throws(PostgresError) in
            try transaction.add(enrolments, context)
        }
    }

    package func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Bool {
        try await write { transaction throws(PostgresError) in try transaction.removeEnrolment(permit, of: app, context) }
    }

    package func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        try await read { database throws(PostgresError) in try EnrolmentScan.page(listing, database) }
    }

    package func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? {
        try await read { database throws(PostgresError) in try EnrolmentTable(database: database).enrolment(permit, of: app) }
    }

    package func readmit(
        _ readmission: Readmission, _ context: ChangeContext
    ) async throws(LedgerError) -> ReadmissionOutcome {
        try await write { transaction throws(PostgresError) in try transaction.readmit(readmission, context) }
    }

    package func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? {
        try await read { database throws(PostgresError) in try FleetTable(database: database).device(serial: serial, app: app) }
    }

    package func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? {
        let found = try await read { database throws(PostgresError) in
            try FleetTable(database: database).device(idempotencyKey: key)
        }
        if found != nil { try await confirm() }
        return found
    }

    package func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome {
        try await write { transaction throws(PostgresError) in try transaction.provision(entry) }
    }
}

extension PostgresLedger: CallerKeyRegistry {
    package func callerKeys() async throws(LedgerError) -> [CallerKey] {
        try await read { database throws(PostgresError) in try CallerKeyTable(database: database).all() }
    }

    package func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool {
        try await write { transaction throws(PostgresError) in try transaction.add(key, context) }
    }

    package func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? {
        try await write { transaction throws(PostgresError) in try transaction.revokeCallerKey(name, context) }
    }
}
