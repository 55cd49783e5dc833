import AssayCore
import Crypto
import Synchronization

/// Caches the certificates of cameras, by the text in which they are submitted: a camera has the same ones in all its bundles.
///
/// Only what led to an anchor, and whose key signed a bundle, is inserted, so that certificates made for the purpose displace none.
final class CertificateCache: Sendable {
    private let capacity: Int
    private let entries = Mutex<[SHA256.Digest: TrustedCertificates]>([:])

    /// - Parameter capacity: the most entries, of about 4 KB each.
    init(capacity: Int = 4096) { self.capacity = capacity }

    /// The number of cached entries.
    var count: Int { entries.withLock { $0.count } }

    func certificates(in text: [UInt8]) -> TrustedCertificates? {
        let key = Self.key(text)
        return entries.withLock { $0[key] }
    }

    /// A full cache is emptied: an entry costs reading the certificates again.
    func insert(_ certificates: TrustedCertificates, of text: [UInt8]) {
        let key = Self.key(text)
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[key] = certificates
        }
    }

    private static func key(_ text: [UInt8]) -> SHA256.Digest {
        var hash = SHA256()
        text.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }
}
