import AssayCertificates
import AssayCore
import Synchronization

/// Caches the certificates of cameras, by the text in which they are submitted: a camera has the same ones in all its bundles.
///
/// - It belongs to one verifier, and so to one app, its anchors and its policy: a reload makes new verifiers with empty caches.
/// - Only what led to an anchor, and whose key signed a bundle, is inserted, so that certificates made for the purpose displace none.
/// - The key is the text itself: another intermediate certificate, or another encoding, is another entry. Hashed for a table and compared it costs
///   a tenth of its SHA-256 where the processor has no instructions for that.
/// - It is bounded by the bytes of what it holds. It has two generations: a used entry moves into the recent one. When that is full it becomes
///   the older one, and the older one before it is dropped.
final class CertificateCache: Sendable {
    /// A text with certificates.
    struct Key: Hashable {
        fileprivate let text: [UInt8]

        init(_ text: [UInt8]) { self.text = text }

        func hash(into hasher: inout Hasher) { text.withUnsafeBytes { hasher.combine(bytes: $0) } }

        static func == (a: Self, b: Self) -> Bool {
            a.text.withUnsafeBytes { one in b.text.withUnsafeBytes { one.equals($0) } }
        }
    }

    private struct State {
        var recent: [Key: TrustedCertificates] = [:]
        var older: [Key: TrustedCertificates] = [:]
        /// Of the recent ones, in bytes.
        var size = 0
    }

    /// Of one generation, in bytes.
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter bytes: the approximate size of all entries together. Those of one certificate have about 5 KB.
    init(bytes: Int = 32 << 20) { limit = bytes / 2 }

    /// The number of cached entries.
    var count: Int { state.withLock { state in state.recent.count + state.older.keys.count { state.recent[$0] == nil } } }

    func certificates(for key: Key) -> TrustedCertificates? {
        state.withLock { state in
            if let found = state.recent[key] { return found }
            guard let found = state.older[key] else { return nil }
            add(found, key, &state)
            return found
        }
    }

    func insert(_ certificates: TrustedCertificates, for key: Key) {
        state.withLock { state in add(certificates, key, &state) }
    }

    private func add(_ certificates: TrustedCertificates, _ key: Key, _ state: inout State) {
        guard state.recent.updateValue(certificates, forKey: key) == nil else { return }
        state.size += certificates.approximateBytes + key.text.count
        guard state.size > limit else { return }
        (state.older, state.recent, state.size) = (state.recent, [:], 0)
    }
}

extension TrustedCertificates {
    /// On the heap: the DER of each certificate, and some 2,500 bytes of what is read in it.
    fileprivate var approximateBytes: Int { chain.certificates.reduce(1000) { $0 + $1.der.count + 2500 } }
}
