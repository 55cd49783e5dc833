/// An assertion of a phone that the daemon has cached, on PostgreSQL.
struct SharedAssertionRow: TableRow {
    let id = "postgresql"
    let title = "App Attest assertion, PostgreSQL, device cached"
    let raw = RawUnit.verification
    let bars = [Bar.raw(1.5, .daemon), .raw(0.6, .database)]
    let sending = Sending(requests: 10_240)
    let counted = 0
    let needsDatabase = true

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let shared = try await stage.sharing()
        let load = try await AssertionLoad.prepare(
            shared.daemon, devices: sending.devices, connections: sending.connections)
        return RowSubject(load, shared.daemon, database: shared.database)
    }
}

/// An assertion of a phone that the daemon reads from PostgreSQL first.
struct UnseenAssertionRow: TableRow {
    let id = "postgresql-unseen"
    let title = "App Attest assertion, PostgreSQL, device not cached"
    let raw = RawUnit.verification
    let bars = [Bar.raw(2.5, .together)]
    let sending = Sending(population: 4_096, requests: 4_096)
    let counted = 0
    let needsDatabase = true

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let shared = try await stage.sharing()
        let load = try await UnseenPhones.prepare(
            importedBy: shared.other, devices: sending.devices, connections: sending.connections)
        return RowSubject(load, shared.daemon, database: shared.database)
    }
}
