/// An assertion on a connection of its own: what a peer with a bad frame is compared with.
struct ConnectionRow: TableRow {
    let id = "connection"
    let title = "App Attest assertion, each on a new connection"
    let raw = RawUnit.verification
    let bars: [Bar] = []
    let sending = Sending(inFlight: 1, reconnects: true, population: 64, requests: 2_048)
    let counted = 0

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await AssertionLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}

/// A peer that connects and sends what is not a frame.
struct BadFrameRow: TableRow {
    let id = "rejected-frame"
    let title = "Rejected: bad frame on a new connection"
    let raw = RawUnit.verification
    let bars = [Bar.cheaper(than: ConnectionRow().id)]
    let sending = Sending(inFlight: 1, reconnects: true, population: 64, requests: 2_048)
    let counted = 0

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        RowSubject(BadFrameLoad(peers: sending.devices), try stage.daemon())
    }
}
