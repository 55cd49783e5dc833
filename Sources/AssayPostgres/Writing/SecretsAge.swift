import AssayCore
import Synchronization

/// Whether challenge keys were removed since the secrets were last read, which happens when the ledger may have gone back
/// (``ServerHistory``). Nothing is accepted then: challenges of these keys are void, and what they were spent for may be lost.
final class SecretsAge: Sendable {
    /// For the operator and the caller.
    static let staleness = "challenge keys were removed after a promotion, and are being read again"

    /// How often keys were removed: in the ledger, and when secrets were last read.
    private let setbacks: Atomic<Int64>
    private let knownSetbacks: Atomic<Int64>

    init(setbacks: Int64) {
        self.setbacks = Atomic(setbacks)
        knownSetbacks = Atomic(setbacks)
    }

    var areStale: Bool {
        setbacks.load(ordering: .sequentiallyConsistent) != knownSetbacks.load(ordering: .sequentiallyConsistent)
    }

    /// Notes the ledger's number of removals. True if it is another one than before.
    func saw(setbacks now: Int64) -> Bool { setbacks.exchange(now, ordering: .sequentiallyConsistent) != now }

    /// Reads secrets, so that they are not stale any more.
    func reading<T>(_ read: () async throws(LedgerError) -> T) async throws(LedgerError) -> T {
        let seen = setbacks.load(ordering: .sequentiallyConsistent)
        let value = try await read()
        knownSetbacks.store(seen, ordering: .sequentiallyConsistent)
        return value
    }
}
