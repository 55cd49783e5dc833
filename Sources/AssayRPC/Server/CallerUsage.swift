import Synchronization

/// What one caller holds of a server's bounds, over all its connections. It lives as long as one of these, or a call that a
/// handler has not let go of, so that connecting anew does not begin a new account.
final class CallerUsage: Sendable {
    let identity: PeerIdentity
    /// An ``Admission/Share``, packed.
    let held = Atomic(0)
    private let register: CallerRegister

    fileprivate init(_ identity: PeerIdentity, in register: CallerRegister) {
        (self.identity, self.register) = (identity, register)
    }

    deinit { register.forget(identity) }
}

/// The callers that have something open or in flight.
final class CallerRegister: Sendable {
    private struct Entry { weak var usage: CallerUsage? }

    private let entries = Mutex<[PeerIdentity: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    func usage(of identity: PeerIdentity) -> CallerUsage {
        entries.withLock { entries in
            if let usage = entries[identity]?.usage { return usage }
            let usage = CallerUsage(identity, in: self)
            entries[identity] = Entry(usage: usage)
            return usage
        }
    }

    /// Another one may have been made under that name since the last one ended.
    fileprivate func forget(_ identity: PeerIdentity) {
        // Looking makes a reference, which may be the last one by the time it goes: it goes outside of the lock.
        let living = entries.withLock { entries -> CallerUsage? in
            let usage = entries[identity]?.usage
            if usage == nil { entries[identity] = nil }
            return usage
        }
        withExtendedLifetime(living) {}
    }
}
