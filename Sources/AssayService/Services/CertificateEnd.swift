package import AssayCore
import Synchronization

/// When one of the certificates ends that the daemon uses over TLS.
package struct CertificateEnd: Hashable, Sendable {
    package enum Use: Hashable, Sendable {
        /// The daemon shows it.
        case server
        /// Callers' certificates must come from it.
        case callerCA
    }

    /// The file that it was read from.
    package let file: String
    package let use: Use
    package let notAfter: Timestamp

    package init(file: String, use: Use, notAfter: Timestamp) { (self.file, self.use, self.notAfter) = (file, use, notAfter) }

    /// Those of the certificates in use; exchanged when the files are read anew. Empty without TLS.
    package final class Slot: Sendable {
        private let state = Mutex<[CertificateEnd]>([])

        package init() {}

        package var value: [CertificateEnd] {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
