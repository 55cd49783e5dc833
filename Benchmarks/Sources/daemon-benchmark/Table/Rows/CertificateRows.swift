/// A bundle of a camera whose certificate was seen before.
struct BundleRow: TableRow {
    let id = "bundle"
    let title = "Certificate bundle, certificate seen before"
    let raw = RawUnit.verification
    let bars = [Bar.raw(1.4)]
    let sending = Sending(requests: 10_240)

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await BundleLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// A certificate that is issued on an assertion over a CSR.
struct CertificateRow: TableRow {
    let id = "certificate"
    let title = "Certificate issued on an assertion"
    let raw = RawUnit.issuance
    let bars = [Bar.raw(1.25)]
    let sending = Sending(requests: 2_048)
    let counted = 64

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await CertificateLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// A device of a fleet that is provisioned: a certificate and three tables of a thousand keys.
struct FleetRow: TableRow {
    let id = "fleet"
    let title = "Device of a fleet provisioned, 3,000 keys"
    let raw = RawUnit.signature
    /// A fifth of the 572 signatures that it cost when it was first measured.
    let bars = [Bar.raw(114.4)]
    let sending = Sending(requests: 512)
    let counted = 16

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await FleetLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}
