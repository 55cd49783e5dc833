/// A store that holds a ledger, closed or open: what the configuration's `store` section names.
///
/// A backend does what only its kind of store can do: find out whether a ledger exists and who can read it, open it, read its
/// audit log beside a daemon, and measure its disk. What holds for every kind (secrets and their key file, the declaration of a new
/// ledger, forgotten challenges) is written once, over `OpenedLedger`.
package protocol LedgerBackend: Sendable {
    /// The ledger's name in messages, such as its path.
    var name: String { get }

    /// False if there is certainly no ledger, so that opening would make one.
    var exists: Bool { get }

    /// A part of the store that others than its owner can read or write; `nil` if there is none.
    var exposure: LedgerExposure? { get }

    /// Opens the ledger and brings it to the newest schema. Throws `.unavailable` where another process owns it.
    ///
    /// - Parameters:
    ///   - mayCreate: whether a missing ledger is made.
    ///   - onFault: called on threads of the ledger when its state changes.
    func open(
        mayCreate: Bool, onFault: @escaping @Sendable (LedgerFault) -> Void
    ) async throws(LedgerError) -> any OpenedLedger

    /// Makes the ledger if there is none, and brings it to the newest schema, without opening it. Throws `.unavailable` where that cannot
    /// be done while a daemon has it open.
    func migrate() async throws(LedgerError) -> LedgerMigration

    /// The writer of the audit log that a ledger opened by this backend is; `.only` in a ledger with one writer.
    var auditWriter: AuditWriter { get }

    /// The chains of the audit log, read without opening the ledger: that of `auditWriter` first, where there is one, then the others by
    /// name. Changes nothing.
    func auditEnds() throws(LedgerError) -> [AuditEnd]

    /// Reads the chain of one writer without opening the ledger, beside a daemon or not. Gives `body` page after page, from the lowest
    /// number on, until it returns false or the chain ends. Changes nothing. Throws if there is no such writer.
    func readAudit(of writer: AuditWriter, _ body: (AuditPage) -> Bool) throws(LedgerError)

    /// The space of the disk that holds the ledger; `nil` if it is not known.
    func space() -> DiskSpace?
}

/// The versions of a ledger's schema, before and after it was brought to the newest.
package struct LedgerMigration: Hashable, Sendable {
    /// 0 if there was no ledger.
    package let before: Int64
    package let after: Int64
    package init(before: Int64, after: Int64) { (self.before, self.after) = (before, after) }
}

/// A writer of a ledger, and where its chain ends by what the ledger keeps beside the records.
package struct AuditEnd: Hashable, Sendable {
    package let writer: AuditWriter
    /// `nil` in a ledger where the records alone say where the chain ends.
    package let chain: AuditChain?
    package init(_ writer: AuditWriter, _ chain: AuditChain? = nil) { (self.writer, self.chain) = (writer, chain) }
}

extension LedgerBackend {
    /// Reads the chain of the backend's own writer.
    package func readAudit(_ body: (AuditPage) -> Bool) throws(LedgerError) { try readAudit(of: auditWriter, body) }
}

/// A ledger that a backend opened.
package protocol OpenedLedger: Ledger {
    /// Whether the ledger was declared new since it was made.
    func isDeclaredNew() async throws(LedgerError) -> Bool

    /// Declares the ledger new: an empty one is expected. Durable on return.
    func declareNew() async throws(LedgerError)

    /// For a ledger that may have gone back to an earlier state: what was published since is not published once more as something else. Gives out
    /// places of status lists only in lists that none of the lost ones can be in, lets the revisions of the others grow beyond the lost ones, and
    /// sets the count of the kept revocation lists to `StoredRevocationList.passed`. Durable on return.
    func skipLostPublications() async throws(LedgerError)

    /// Whether other daemons may change the ledger while this one has it open.
    var isShared: Bool { get }

    /// True when challenge keys were removed because the store may have gone back, until the secrets are read again. Nothing is accepted
    /// meanwhile.
    var hasStaleSecrets: Bool { get }

    /// The daemons that have the ledger open beside this one, as an operator knows them.
    func otherDaemons() async throws(LedgerError) -> [String]

    /// What can be lost although it was acknowledged, as a sentence for the operator; `nil` if nothing that the ledger knows of.
    var durabilityRisk: String? { get }

    /// Refuses further calls, waits until running ones are answered, and closes the store. Blocks. A second call does nothing.
    func close()
}

extension OpenedLedger {
    package var isShared: Bool { false }
    package var hasStaleSecrets: Bool { false }
    package var durabilityRisk: String? { nil }
    package func otherDaemons() async throws(LedgerError) -> [String] { [] }
}

/// A file of a ledger that others than its owner can read or write.
package struct LedgerExposure: Hashable, Sendable {
    package let path: String
    /// The permission bits of the file's mode.
    package let mode: UInt32
    package init(path: String, mode: UInt32) { (self.path, self.mode) = (path, mode) }
}

/// A change of an open ledger's state, for the log.
package enum LedgerFault: Hashable, Sendable {
    /// Nothing is accepted until the ledger is opened again.
    case final(LedgerError)
    /// Nothing is accepted until the store is back.
    case passing(LedgerError)
    /// The store is back with all its records.
    case over
    /// Nothing stops, and an operator should know: a sentence.
    case warning(String)
}
