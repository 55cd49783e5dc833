package import AssayCore
import Synchronization

/// The expiry of a certificate that the daemon uses for TLS.
package struct CertificateEnd: Hashable, Sendable {
    package enum Use: Hashable, Sendable {
        /// The daemon presents it.
        case server
        /// It issues callers' certificates.
        case callerCA
    }

    /// A certificate that expires sooner is reported, in milliseconds.
    package static let notice: Int64 = 14 * 86_400_000

    /// The file that contains it.
    package let file: String
    package let use: Use
    package let notAfter: Timestamp

    package init(file: String, use: Use, notAfter: Timestamp) { (self.file, self.use, self.notAfter) = (file, use, notAfter) }

    /// The expiry of each certificate in use; replaced when the files are read again. Empty without TLS.
    package final class Slot: Sendable {
        private let state = Mutex<[CertificateEnd]>([])

        package init() {}

        package var value: [CertificateEnd] {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
