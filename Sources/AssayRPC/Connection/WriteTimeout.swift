import NIOCore

/// Notices a peer that does not read: what was handed to the socket has not gone into the kernel's buffer in time.
struct WriteTimeout {
    let timeout: TimeAmount
    /// Bytes handed to the channel since it opened.
    private(set) var written = 0
    /// The bytes that must be gone by `due`.
    private var mark: (bytes: Int, due: NIODeadline)?

    init(timeout: Duration) { self.timeout = TimeAmount(timeout) }

    /// When to look again; nil while nothing is outstanding.
    var due: NIODeadline? { mark?.due }

    mutating func wrote(_ count: Int, at now: NIODeadline) {
        written += count
        if mark == nil { mark = (written, now + timeout) }
    }

    /// - Parameter buffered: the bytes that the channel still holds.
    /// - Returns: whether the peer is too slow.
    mutating func isStuck(buffered: Int, at now: NIODeadline) -> Bool {
        guard let mark else { return false }
        if written - buffered >= mark.bytes {
            self.mark = buffered > 0 ? (written, now + timeout) : nil
            return false
        }
        return now >= mark.due
    }
}
