import AssayCore

/// The revocation lists as they were a moment ago. Any number of readers, whom nothing authenticates, cost the ledger one look a second for
/// each CA.
///
/// While the ledger does not answer, the last list is given; its reader sees by its next update how long it is good.
actor RecentRevocationLists {
    typealias Read = @Sendable (_ issuer: [UInt8]) async throws -> StoredRevocationList?

    /// How long a list is given without another look, in milliseconds.
    static let lifetime: Int64 = 1000
    /// More CAs than a configuration has. Those of earlier configurations are forgotten.
    private static let limit = 256

    private struct Kept {
        var list: StoredRevocationList?
        let readAt: Timestamp
    }

    private let read: Read
    private var kept: [[UInt8]: Kept] = [:]
    private var reading: [[UInt8]: Task<StoredRevocationList?, Never>] = [:]

    init(read: @escaping Read) { self.read = read }

    /// - Parameter issuer: SHA-256 of the CA's SubjectPublicKeyInfo.
    /// - Returns: `nil` if the CA has no list, or none can be read.
    func list(of issuer: [UInt8], at now: Timestamp) async -> StoredRevocationList? {
        if let kept = kept[issuer], (0..<Self.lifetime).contains(now.milliseconds(since: kept.readAt)) { return kept.list }
        if let task = reading[issuer] { return await task.value }
        let task = Task { await look(issuer, now) }
        reading[issuer] = task
        return await task.value
    }

    private func look(_ issuer: [UInt8], _ now: Timestamp) async -> StoredRevocationList? {
        var list = kept[issuer]?.list
        do { list = try await read(issuer) } catch {}
        if kept.count >= Self.limit { kept = [:] }
        kept[issuer] = Kept(list: list, readAt: now)
        reading[issuer] = nil
        return list
    }
}
