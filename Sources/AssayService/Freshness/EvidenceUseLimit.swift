import Synchronization

/// Whether more uses of evidence can be kept.
///
/// Evidence that no challenge binds can be used once only as long as its use is remembered. Uses cannot be forgotten early,
/// so where no more of them may be kept such evidence is not judged until others have expired.
///
/// The flag is in the memory of one process, not in the ledger: each of several daemons on a ledger learns it from its own
/// maintenance.
package final class EvidenceUseLimit: Sendable {
    private let full = Atomic(false)

    package init() {}

    /// True if no further use may be kept. Said once in a period of maintenance, so the limit is passed by what is
    /// accepted in one.
    package var isFull: Bool { full.load(ordering: .relaxed) }

    /// Returns true if that is news.
    func note(isFull: Bool) -> Bool { full.exchange(isFull, ordering: .relaxed) != isFull }
}
