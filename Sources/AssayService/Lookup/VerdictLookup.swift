import AssayAPI
package import AssayCore

/// Finds accepted verdicts in the ledger's index by the hash of a file.
package struct VerdictLookup: Sendable {
    /// The most verdicts of one answer.
    static let limit = 10

    private let ledger: any PayloadIndex & DeviceFacts
    private let keys: PayloadKeys

    package init(ledger: any PayloadIndex & DeviceFacts, keys: PayloadKeys) { (self.ledger, self.keys) = (ledger, keys) }

    /// What is kept on a file, the newest first, at most ``limit``, and whether there is more.
    ///
    /// A look-up that finds nothing reads as much as one that finds a verdict, so that its time tells little to those who do not see the answer.
    func find(
        _ hash: [UInt8], of app: AppID, at now: Timestamp
    ) async throws(LedgerError) -> (verdicts: [Assay_V1_FoundVerdict], hasMore: Bool) {
        let name = keys.name(of: hash, in: app)
        let indexed = try await ledger.verdicts(onPayload: name, at: now, limit: Self.limit + 1)
        guard !indexed.isEmpty else {
            if let unknown = DeviceID(bytes: Array(name.prefix(DeviceID.length))) { _ = try await ledger.device(unknown) }
            return ([], false)
        }
        var states: [DeviceID: Assay_V1_FoundVerdict.DeviceState] = [:]
        var found: [Assay_V1_FoundVerdict] = []
        for entry in indexed.prefix(Self.limit) {
            found.append(try verdict(in: entry, hash, app).message(try await state(of: entry.device, &states)))
        }
        return (found, indexed.count > Self.limit)
    }

    private func verdict(in entry: IndexedVerdict, _ hash: [UInt8], _ app: AppID) throws(LedgerError) -> FoundVerdict {
        guard let content = keys.open(entry.content, under: hash, in: app) else {
            throw .corrupt("a verdict in the index of look-ups is not what was sealed")
        }
        // Daemons of two versions may share a ledger.
        guard let verdict = FoundVerdict(decoding: content) else {
            throw .unavailable("a verdict in the index of look-ups was written by another version")
        }
        return verdict
    }

    /// - Parameter known: the states that were read for this answer.
    private func state(
        of device: DeviceID?, _ known: inout [DeviceID: Assay_V1_FoundVerdict.DeviceState]
    ) async throws(LedgerError) -> Assay_V1_FoundVerdict.DeviceState {
        guard let device else { return .unspecified }
        if let state = known[device] { return state }
        // The entries of a device that is forgotten are forgotten with it.
        let state: Assay_V1_FoundVerdict.DeviceState =
            try await ledger.device(device).map { $0.isBlocked ? .blocked : .registered } ?? .replaced
        known[device] = state
        return state
    }
}
