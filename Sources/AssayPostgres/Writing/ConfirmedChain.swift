import AssayCore
import Synchronization

/// The end of this daemon's audit chain whose commit was answered. The database shows a later one while a commit is not confirmed by the
/// standby and the wait for it was cancelled: a promotion would lose it.
final class ConfirmedChain: Sendable {
    private let chain: Mutex<AuditChain>

    init(_ chain: AuditChain) { self.chain = Mutex(chain) }

    var end: AuditChain { chain.withLock { $0 } }

    func note(_ end: AuditChain) { chain.withLock { $0 = end } }
}
