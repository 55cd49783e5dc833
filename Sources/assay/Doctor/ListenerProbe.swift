import AssayDoctor
import AssayRPC
import Foundation

/// Whether something takes connections at an address. A connection is made and closed; nothing is sent.
enum ListenerProbe {
    /// How long a connection may take, in milliseconds.
    private static let limit: Int32 = 3_000

    /// - Returns: `nil` for an address whose port the system chooses when the daemon starts.
    static func listener(at address: RPCAddress) -> InstallationFacts.Listener? {
        let problem: String?
        switch address {
        case .unix(let path, _): problem = connect(path: path)
        case .tcp(_, 0), .tls(_, 0): return nil
        case .tcp(let host, let port), .tls(let host, let port): problem = connect(host: local(host), port: port)
        }
        return InstallationFacts.Listener(address: "\(address)", problem: problem)
    }

    /// The address of this machine at which a listener at all addresses is reached.
    private static func local(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }

    /// Why no connection is made; `nil`: one was.
    private static func connect(path: String) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return "the path is too long for a Unix socket" }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func connect(host: String, port: Int) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = streams
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0, let list else { return "the host is not known here: \(String(cString: gai_strerror(status)))" }
        defer { freeaddrinfo(list) }
        var (next, problem): (UnsafeMutablePointer<addrinfo>?, String?) = (list, nil)
        while let info = next?.pointee {
            problem = connect(info.ai_family, info.ai_addr, info.ai_addrlen)
            if problem == nil { return nil }
            next = info.ai_next
        }
        return problem
    }

    private static var streams: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private static func connect(_ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        let descriptor = socket(family, streams, 0)
        guard descriptor >= 0 else { return words(errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        guard Foundation.connect(descriptor, address, length) != 0 else { return nil }
        guard errno == EINPROGRESS else { return words(errno) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, limit) > 0 else { return "no answer within \(limit / 1000) s" }
        var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return words(errno) }
        return error == 0 ? nil : words(error)
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)).lowercased() }
}
