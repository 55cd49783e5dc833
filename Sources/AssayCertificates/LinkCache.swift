import AssayCore
import AssayEncoding
import Synchronization

/// Caches which CA certificates have a good signature of which key, so that one verification per chain remains.
///
/// It stores only (issuer public key, certificate digest) → signature good, and only for certificates whose path reached an
/// anchor. Dates, CA flags, algorithms and anchors are checked every time. Signatures on leaves are cached only if the profile
/// says that a leaf recurs: a device's own leaf is seen once.
///
/// Beside the links it has the certificates, as they were read: chains name the same few, which are not read again. What is read in a certificate, its
/// decoded key too, follows from its bytes alone.
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
    private let keepsCertificates: Bool
    private struct State {
        var links: Set<Link> = []
        var certificates: [CertificateBytes: Certificate] = [:]
        var hits: UInt64 = 0
        var misses: UInt64 = 0
    }
    private let state = Mutex(State())

    /// - Parameter keepsCertificates: false for certificates that are kept elsewhere.
    package init(capacity: Int = LinkCache.defaultCapacity, keepsCertificates: Bool = true) {
        self.capacity = max(0, capacity)
        self.keepsCertificates = keepsCertificates
    }

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
    ///
    /// - Parameter certificate: that of the link.
    func insert(_ link: Link, _ certificate: Certificate) {
        guard capacity > 0 else { return }
        let kept = keepsCertificates ? certificate.alone : nil
        state.withLock { state in
            if state.links.count >= capacity {
                state.links.removeAll(keepingCapacity: true)
                state.certificates.removeAll(keepingCapacity: true)
            }
            state.links.insert(link)
            if let kept { state.certificates[CertificateBytes(der: kept.der)] = kept }
        }
    }

    /// The certificate with these bytes, if it is cached and needs no other leniency.
    package func certificate(_ der: ArraySlice<UInt8>, allowing leniencies: CertificateLeniencies = []) -> Certificate? {
        guard keepsCertificates, let known = state.withLock({ $0.certificates[CertificateBytes(der: der)] }),
            known.usedLeniencies.isSubset(of: leniencies)
        else { return nil }
        return known
    }
}

/// A certificate by its bytes.
private struct CertificateBytes: Hashable {
    let der: ArraySlice<UInt8>

    static func == (a: CertificateBytes, b: CertificateBytes) -> Bool { a.der.equals(b.der) }

    func hash(into hasher: inout Hasher) { der.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension Certificate {
    /// The same certificate in memory of its own, not in that of the evidence with which it came.
    fileprivate var alone: Certificate? { try? Certificate(der: Array(der)[...], leniencies: usedLeniencies) }
}
