import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A pipe that ends a thread's wait for a socket.
final class WakePipe: Sendable {
    /// Can be read once `wake` was called.
    let readable: Int32
    private let writable: Int32

    init() throws(LedgerError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .unavailable("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readable, writable) = (ends[0], ends[1])
    }

    deinit {
        _ = close(readable)
        _ = close(writable)
    }

    func wake() { _ = write(writable, [UInt8(0)], 1) }
}
