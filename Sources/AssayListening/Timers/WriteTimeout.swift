package import NIOCore

/// Detects a peer that does not read: bytes that were handed to the channel are not in the kernel's buffer in time.
package struct WriteTimeout {
    package let timeout: TimeAmount
    /// Bytes handed to the channel since it opened.
    package private(set) var written = 0
    /// The count of bytes that must be in the kernel's buffer by `due`.
    private var mark: (bytes: Int, due: NIODeadline)?

    package init(timeout: Duration) { self.timeout = TimeAmount(timeout) }

    /// When the next check is due; nil while nothing is outstanding.
    package var due: NIODeadline? { mark?.due }

    package mutating func wrote(_ count: Int, at now: NIODeadline) {
        written += count
        if mark == nil { mark = (written, now + timeout) }
    }

    /// Whether the peer is too slow.
    ///
    /// - Parameter buffered: the bytes that the channel still holds.
    package mutating func isStuck(buffered: Int, at now: NIODeadline) -> Bool {
        guard let mark else { return false }
        if written - buffered >= mark.bytes {
            self.mark = buffered > 0 ? (written, now + timeout) : nil
            return false
        }
        return now >= mark.due
    }
}
