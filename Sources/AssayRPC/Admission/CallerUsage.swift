import Synchronization

/// What one caller holds of the bounds, over all its connections and fronts. It lives as long as a connection of the caller, or a
/// call that its handler has not released, so reconnecting does not reset it.
package final class CallerUsage: Sendable {
    package let identity: PeerIdentity
    /// An ``Admission/Share``, packed.
    let held = Atomic(0)
    private let register: CallerRegister

    fileprivate init(_ identity: PeerIdentity, in register: CallerRegister) {
        (self.identity, self.register) = (identity, register)
    }

    deinit { register.forget(identity) }
}

/// The callers with an open connection or a call in flight.
package final class CallerRegister: Sendable {
    private struct Entry { weak var usage: CallerUsage? }

    private let entries = Mutex<[PeerIdentity: Entry]>([:])

    init() {}

    var count: Int { entries.withLock { $0.count } }

    package func usage(of identity: PeerIdentity) -> CallerUsage {
        entries.withLock { entries in
            if let usage = entries[identity]?.usage { return usage }
            let usage = CallerUsage(identity, in: self)
            entries[identity] = Entry(usage: usage)
            return usage
        }
    }

    /// Removes the entry of a usage that ended, unless a newer one has the same identity.
    fileprivate func forget(_ identity: PeerIdentity) {
        // The load makes a strong reference, which may be the last one; it is released after the lock.
        let living = entries.withLock { entries -> CallerUsage? in
            let usage = entries[identity]?.usage
            if usage == nil { entries[identity] = nil }
            return usage
        }
        withExtendedLifetime(living) {}
    }
}
