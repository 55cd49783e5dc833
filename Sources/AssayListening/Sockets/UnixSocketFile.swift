import AssayRPC

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a listening Unix socket. It has its mode before a peer can connect, and is removed when the server stops.
struct UnixSocketFile: Sendable {
    let path: String
    /// The file's identity, so that another server's file at the same path is not removed.
    private let device: UInt64
    private let inode: UInt64

    /// Binds a socket at the path. Replaces the file of a socket without a listener; throws if it has one.
    ///
    /// - Returns: the file, and the descriptor of a bound socket that does not listen yet. The caller owns the descriptor.
    static func claim(_ path: String, mode: UInt16) throws(RPCBindError.Problem) -> (
        file: UnixSocketFile, descriptor: Int32
    ) {
        var address = try socketAddress(path)
        try removeStale(path, &address)
        let descriptor = try openSocket()
        do throws(RPCBindError.Problem) {
            // A peer can connect once the socket listens, which is after the mode is set.
            guard call(bind, descriptor, &address) == 0, chmod(path, mode_t(mode)) == 0 else { throw .last() }
            guard let status = status(path) else { throw .last() }
            let file = UnixSocketFile(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
            return (file, descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    func remove() {
        guard let status = Self.status(path), UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode else { return }
        unlink(path)
    }

    /// Sets the backlog of a socket that listens already: the connections that the kernel keeps until they are accepted.
    static func setBacklog(_ descriptor: Int32, _ backlog: Int32) throws(RPCBindError.Problem) {
        guard listen(descriptor, backlog) == 0 else { throw .last() }
    }

    private static func removeStale(_ path: String, _ address: inout sockaddr_un) throws(RPCBindError.Problem) {
        guard let status = status(path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket }
        let probe = try openSocket()
        defer { close(probe) }
        guard call(connect, probe, &address) != 0 else { throw .inUse }
        // Only a refusal means that there is no listener. A full backlog, for example, is another error.
        guard errno == ECONNREFUSED else { throw errno == EAGAIN ? .inUse : .last() }
        guard unlink(path) == 0 || errno == ENOENT else { throw .last() }
    }

    private static func openSocket() throws(RPCBindError.Problem) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .last() }
        return descriptor
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static func socketAddress(_ path: String) throws(RPCBindError.Problem) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw .pathTooLong }
        return address
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ address: inout sockaddr_un
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

extension RPCBindError.Problem {
    fileprivate static func last() -> Self {
        let number = errno
        return Self(errno: number, String(cString: strerror(number)))
    }
}
