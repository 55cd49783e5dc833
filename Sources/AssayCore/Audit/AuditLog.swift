/// The append-only, hash-chained audit log.
///
/// `VerdictLedger.commit` appends the record of each accepted verdict. The other promises append the records of their changes.
///
/// Where several daemons share a ledger, each is a writer with a chain of its own, and records are numbered in each chain. A method
/// without a writer is about the chain of this ledger's own writer.
public protocol AuditLog: Sendable {
    /// The writers that have a chain: this ledger's own, then the others by name. `[.only]` in a ledger with one writer.
    func auditWriters() async throws(LedgerError) -> [AuditWriter]

    /// Rows in the order of their numbers, from `number` on: at most `limit`, and at most `AuditPage.limit`. A missing row is a gap in
    /// the numbers, not an error.
    func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage

    /// The same of any writer's chain; `nil` if the ledger has no such writer.
    func audit(of writer: AuditWriter, from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage?

    /// The claims that are kept beside a record; `nil` if there are none.
    func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims?

    /// The same of any writer's record; `nil` too if the ledger has no such writer.
    func auditClaims(of number: Int64, by writer: AuditWriter) async throws(LedgerError) -> AuditClaims?

    /// Deletes the claims beside all records of a device in an app, and returns their number: in the chains of all writers. The records
    /// stay. Large numbers are deleted in several transactions, each with its own audit record.
    func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64

    /// Appends the record of a change that is made outside the ledger. Durable on return.
    func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError)
}

/// A ledger with one writer.
extension AuditLog {
    public func auditWriters() async throws(LedgerError) -> [AuditWriter] { [.only] }

    public func audit(
        of writer: AuditWriter, from number: Int64, limit: Int
    ) async throws(LedgerError) -> AuditPage? {
        writer == .only ? try await audit(from: number, limit: limit) : nil
    }

    public func auditClaims(of number: Int64, by writer: AuditWriter) async throws(LedgerError) -> AuditClaims? {
        writer == .only ? try await auditClaims(of: number) : nil
    }
}

extension AuditLog {
    /// Verifies the chain of the last records, at most `AuditPage.limit` of them. Throws `.corrupt` at a break.
    package func checkAuditEnd() async throws(LedgerError) {
        let last = try await audit(from: .max, limit: 0).last
        let page = try await audit(from: last &- Int64(AuditPage.limit) &+ 1, limit: AuditPage.limit)
        var rows = page.rows[...]
        var verifier = AuditVerifier(from: page.start)
        // Where earlier records exist, the chain is taken up from the head of the first row.
        if let first = rows.first, first.number > page.start.number &+ 1 {
            verifier = AuditVerifier(from: AuditChain(number: first.number, head: first.head))
            rows = rows.dropFirst()
        }
        for row in rows { verifier.take(row) }
        guard let fault = verifier.finish() else { return }
        throw .corrupt("audit \(fault)")
    }
}

/// A stored record of the audit log. It is not trusted before `AuditVerifier` has followed the chain to it.
public struct AuditRow: Hashable, Sendable {
    public let number: Int64
    /// The time of the verdict or change. Times need not rise with numbers: clocks can be set back.
    public let time: Timestamp
    /// The canonical bytes of an `AuditRecord` or an `AuditChange` (`AuditEntry`).
    public let record: [UInt8]
    /// The head of the chain after this record, 32 bytes.
    public let head: [UInt8]

    public init(number: Int64, time: Timestamp, record: [UInt8], head: [UInt8]) {
        (self.number, self.time, self.record, self.head) = (number, time, record, head)
    }
}

/// Rows of one writer's chain at one instant.
public struct AuditPage: Hashable, Sendable {
    /// The most rows on a page.
    public static let limit = 1000

    public let writer: AuditWriter
    /// The chain before the first row that is kept: that of an empty log unless rows were dropped from the front.
    public let start: AuditChain
    /// The number of the last row of the chain; that of `start` if no row is kept.
    public let last: Int64
    /// Ordered by number.
    public let rows: [AuditRow]

    public init(of writer: AuditWriter = .only, start: AuditChain, last: Int64, rows: [AuditRow]) {
        self.writer = writer
        (self.start, self.last, self.rows) = (start, last, rows)
    }
}

/// Selects audit records. A field that is `nil` selects all.
public struct AuditFilter: Hashable, Sendable {
    public var app: AppID?
    public var device: DeviceID?
    public var caller: String?
    /// Selects records at this time or later.
    public var since: Timestamp?

    public init(app: AppID? = nil, device: DeviceID? = nil, caller: String? = nil, since: Timestamp? = nil) {
        (self.app, self.device, self.caller, self.since) = (app, device, caller, since)
    }

    /// Whether the filter selects a row. A record that cannot be decoded is selected only if the filter has no field but `since`.
    public func admits(_ row: AuditRow) -> Bool {
        if let since, row.time < since { return false }
        guard app != nil || device != nil || caller != nil else { return true }
        guard let entry = AuditEntry(decoding: row.record) else { return false }
        return (app == nil || entry.app == app) && (device == nil || entry.device == device)
            && (caller == nil || entry.caller == caller)
    }
}

/// The content of an audit record.
public enum AuditEntry: Hashable, Sendable {
    /// An accepted verdict.
    case verdict(AuditRecord)
    /// Any other change.
    case change(AuditChange)

    /// Decodes a row's canonical bytes. `nil` for bytes that this version does not know, such as those of a later version. Such a row is
    /// part of the chain all the same.
    public init?(decoding bytes: [UInt8]) {
        if let record = AuditRecord(decoding: bytes) {
            self = .verdict(record)
        } else if let change = AuditChange(decoding: bytes) {
            self = .change(change)
        } else {
            return nil
        }
    }

    /// `nil` if the record concerns all apps.
    public var app: AppID? {
        switch self {
        case .verdict(let record): record.app
        case .change(let change): change.app
        }
    }

    public var device: DeviceID? {
        switch self {
        case .verdict(let record): record.device
        case .change(let change): change.device
        }
    }

    /// The caller's name; `nil` if the change was not made for a caller.
    public var caller: String? {
        switch self {
        case .verdict(let record): record.caller
        case .change(let change): change.origin.caller
        }
    }
}
