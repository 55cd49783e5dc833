/// Commits accepted verdicts and keeps them for repetition: the part of the ledger that the pipeline uses.
///
/// - An entry is applied in full or not at all, and is durable when `commit` returns `.committed` for it.
/// - Of entries that exclude each other and are committed concurrently, exactly one is `.committed`.
/// - The refusal of an entry does not affect other entries of the same call or transaction.
/// - `commit` checks an entry inside the transaction, in this order: idempotency, devices registered and not blocked, the
///   entry's subject not blocked, spends (above the spent horizon, unspent), counters, registrations (key and subject not
///   blocked, key not registered, number of devices of the subject). The devices are those whose counters advance and the one
///   that the audit record names, except those that the entry registers.
/// - A token is spent once, whatever its expiry is in each entry. A token whose expiry is fixed is spent once with that expiry.
/// - A stored verdict is void after its device was blocked or forgotten, and is not repeated while the entry's subject is
///   blocked.
/// - The audit record of an entry is part of it: the order of records is the order of commits.
public protocol VerdictLedger: DeviceFacts {
    /// Checks and applies each entry. One outcome for each, in order.
    ///
    /// Throws only if no outcome is known: nothing was applied, or later reads show what was.
    func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome]

    /// The verdict that is stored under an idempotency key and has not expired at `now`.
    ///
    /// - Parameter idempotencyKey: SHA-256, 32 bytes, as `LedgerEntry.Idempotency` has it.
    func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict?
}

/// An accepted verdict that is stored for repetition under an idempotency key.
public struct StoredVerdict: Hashable, Sendable {
    /// SHA-256 over all fields of the request that it answered, 32 bytes.
    public let request: [UInt8]
    public let verdict: [UInt8]
    /// Why the verdict is void: its device was blocked or forgotten since. `nil` if it is not void.
    public let objection: ReasonCode?
    public init(request: [UInt8], verdict: [UInt8], objection: ReasonCode?) {
        (self.request, self.verdict, self.objection) = (request, verdict, objection)
    }
}
