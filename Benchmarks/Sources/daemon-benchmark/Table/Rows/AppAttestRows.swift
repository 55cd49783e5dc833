/// An assertion of a known phone, among many.
struct AssertionRow: TableRow {
    let id = "assertion"
    let title = "App Attest assertion, 4 connections × 128"
    let raw = RawUnit.verification
    let bars = [Bar.raw(1.25)]
    let sending = Sending(requests: 20_480)

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await AssertionLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// An assertion alone: the next one is sent when it is answered.
struct SingleAssertionRow: TableRow {
    let id = "assertion-single"
    let title = "App Attest assertion, one at a time"
    let raw = RawUnit.verification
    let bars = [Bar.raw(4)]
    let sending = Sending(connections: 1, inFlight: 1, population: 64, requests: 2_048)
    let counted = 0

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await AssertionLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// The registration of a phone.
struct AttestationRow: TableRow {
    let id = "attestation"
    let title = "App Attest attestation"
    let raw = RawUnit.largeVerification
    let bars = [Bar.raw(0.45)]
    let sending = Sending(requests: 2_048)
    let counted = 64

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await AttestationLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}
