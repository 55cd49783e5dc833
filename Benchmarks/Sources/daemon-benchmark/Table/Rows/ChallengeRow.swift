/// A challenge that is issued.
struct ChallengeRow: TableRow {
    let id = "challenge"
    let title = "Challenge"
    let raw = RawUnit.authentication
    let bars = [Bar.microseconds(3)]
    let sending = Sending(requests: 102_400)
    let counted = 1024

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        return RowSubject(
            try await ChallengeLoad.prepare(daemon, devices: sending.devices, connections: sending.connections), daemon)
    }
}
