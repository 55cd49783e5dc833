import AssayCore
import Synchronization

/// Caches which CA certificates have a good signature of which key, so that one verification per chain remains.
///
/// It stores only (issuer public key, certificate digest) → signature good, and only for certificates whose path reached an
/// anchor. Dates, CA flags, algorithms and anchors are checked every time. Signatures on leaves are cached only if the profile
/// says that a leaf recurs: a device's own leaf is seen once.
package final class LinkCache: Sendable {
    /// The most links. A platform has a few intermediates, remote provisioning some hundreds.
    package static let defaultCapacity = 1024

    struct Link: Hashable {
        /// SHA-256 of the issuer's SubjectPublicKeyInfo.
        let issuerKey: [UInt8]
        /// SHA-256 of the certificate.
        let certificate: [UInt8]
    }

    private let capacity: Int
    private struct State {
        var links: Set<Link> = []
        var hits: UInt64 = 0
        var misses: UInt64 = 0
    }
    private let state = Mutex(State())

    package init(capacity: Int = LinkCache.defaultCapacity) { self.capacity = max(0, capacity) }

    /// The number of cached links.
    package var count: Int { state.withLock { $0.links.count } }

    /// Look-ups that found a link, and those that did not.
    package var lookUps: (hits: UInt64, misses: UInt64) { state.withLock { ($0.hits, $0.misses) } }

    func contains(_ link: Link) -> Bool {
        state.withLock { state in
            let isCached = state.links.contains(link)
            if isCached { state.hits &+= 1 } else { state.misses &+= 1 }
            return isCached
        }
    }

    /// A full cache is emptied: only anchored certificates that recur are inserted, so that is rare and costs one verification
    /// each.
    func insert(_ link: Link) {
        guard capacity > 0 else { return }
        state.withLock { state in
            if state.links.count >= capacity { state.links.removeAll(keepingCapacity: true) }
            state.links.insert(link)
        }
    }
}
