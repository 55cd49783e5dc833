import AssayCore
import Synchronization

/// Names requests, for logs and audit: 8 random bytes of this start of the daemon, and a counter of 8 bytes. No two are the
/// same, and no system call is needed for each.
package final class RequestIDGenerator: Sendable {
    private let prefix = SecureRandom.bytes(8)
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// 16 bytes.
    package func next() -> [UInt8] {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        var name: [UInt8] = []
        name.reserveCapacity(16)
        name += prefix
        withUnsafeBytes(of: number.bigEndian) { name.append(contentsOf: $0) }
        return name
    }
}
