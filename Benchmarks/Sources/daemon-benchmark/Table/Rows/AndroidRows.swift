/// A signature by a known Android key.
struct KeySignatureRow: TableRow {
    let id = "key-signature"
    let title = "Android key signature"
    let raw = RawUnit.verification
    let bars = [Bar.raw(1.3)]
    let sending = Sending(requests: 10_240)

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await KeySignatureLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// The registration of an Android device that was provisioned remotely, whose issuers were seen before.
struct KeyAttestationRow: TableRow {
    let id = "key-attestation"
    let title = "Android key attestation, issuers seen before"
    let raw = RawUnit.twoVerifications
    let bars = [Bar.raw(1.25)]
    let sending = Sending(requests: 2_048)
    let counted = 64

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await KeyAttestationLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// A token of Play Integrity, by local keys.
struct IntegrityRow: TableRow {
    let id = "play-integrity"
    let title = "Play Integrity, local keys"
    let raw = RawUnit.verification
    let bars = [Bar.raw(1.35)]
    let sending = Sending(requests: 10_240)

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await IntegrityLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}
