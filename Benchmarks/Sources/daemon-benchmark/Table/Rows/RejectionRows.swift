/// An upload that is rejected, for one fault.
struct RejectionRow: TableRow {
    let fault: RejectionLoad.Fault
    let raw = RawUnit.verification
    let bars = [Bar.cheaper(than: AssertionRow().id)]
    let sending = Sending(requests: 10_240)

    var id: String {
        switch fault {
        case .challenge: "rejected-challenge"
        case .key: "rejected-key"
        case .signature: "rejected-signature"
        }
    }

    var title: String {
        switch fault {
        case .challenge: "Rejected: forged challenge"
        case .key: "Rejected: unknown key"
        case .signature: "Rejected: bad signature"
        }
    }

    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject {
        let daemon = try stage.daemon()
        let load = try await RejectionLoad.prepare(
            fault, daemon, devices: sending.devices, connections: sending.connections)
        return RowSubject(load, daemon)
    }
}
