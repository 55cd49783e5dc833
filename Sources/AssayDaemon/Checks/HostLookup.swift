import AssayConfiguration
import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system makes of the name of a host.
enum HostLookup: Hashable, Sendable {
    /// The first of its addresses, which is the one that a listener is bound to.
    case found(HostAddress)
    /// Why there is none, as the system says it.
    case unknown(String)
    /// The system has not answered in time.
    case unanswered

    /// How long all names together may take, in milliseconds.
    static let limit = 3000

    /// Looks up each host, all at once. A name service can take minutes; what has not come in time is left to itself.
    ///
    /// - Parameter resolve: blocks until there is an answer.
    static func all(
        _ hosts: some Sequence<String>, within milliseconds: Int = limit,
        by resolve: @escaping @Sendable (String) -> HostLookup = { system($0) }
    ) -> [String: HostLookup] {
        let answers = Answers()
        let names = Set(hosts)
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        for name in names {
            // What is numeric asks no service.
            if case .found(let address) = system(name, numericOnly: true) {
                answers.add(.found(address), of: name)
            } else {
                Thread.detachNewThread { answers.add(resolve(name), of: name) }
            }
        }
        for _ in names where answers.came.wait(timeout: deadline) == .timedOut { break }
        let found = answers.list.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, found[$0] ?? .unanswered) })
    }

    /// Asks the system as SwiftNIO does when a listener is bound.
    static func system(_ host: String, numericOnly: Bool = false) -> HostLookup {
        var hints = addrinfo()
        if numericOnly { hints.ai_flags = AI_NUMERICHOST }
        var list: UnsafeMutablePointer<addrinfo>?
        // With a port, as SwiftNIO asks: without one some names have no address, such as "*".
        let status = getaddrinfo(host, "0", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return .unknown(String(cString: gai_strerror(status))) }
        guard let first = list?.pointee.ai_addr, let address = HostAddress(first) else {
            return .unknown("no address of IPv4 or IPv6")
        }
        return .found(address)
    }

    private final class Answers: Sendable {
        let list = Mutex<[String: HostLookup]>([:])
        let came = DispatchSemaphore(value: 0)

        func add(_ answer: HostLookup, of name: String) {
            list.withLock { $0[name] = answer }
            came.signal()
        }
    }
}

/// A numeric IP address, as a socket is bound to it.
struct HostAddress: Hashable, Sendable {
    /// 4 or 16 bytes. An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`) has 4.
    let bytes: [UInt8]
    /// The interface of a link-local IPv6 address; else 0.
    let scope: UInt32

    init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped = bytes.count == 16 && bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        (self.bytes, self.scope) = (isMapped ? Array(bytes.suffix(4)) : bytes, scope)
    }

    /// `nil` for families other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(
                bytes: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
                })
        case AF_INET6:
            let (bytes, scope) = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                (withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }, pointer.pointee.sin6_scope_id)
            }
            self.init(bytes: bytes, scope: scope)
        default: return nil
        }
    }

    /// `0.0.0.0` or `::`: every address of the machine.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// 224.0.0.0/4, 255.255.255.255 or ff00::/8: addresses of groups, to which no connection can be made (RFC 5771, RFC 919,
    /// RFC 4291 §2.7).
    var isOfGroup: Bool {
        bytes.count == 4 ? (bytes.first ?? 0) & 0xF0 == 0xE0 || bytes.allSatisfy { $0 == 0xFF } : bytes.first == 0xFF
    }

    /// Whether two listeners at one port cannot be at both addresses. `::` takes connections over IPv4 too: the daemon's sockets
    /// are made so.
    func overlaps(_ other: HostAddress) -> Bool {
        if self == other { return true }
        if isWildcard, bytes.count == 16 || other.bytes.count == 4 { return true }
        return other.isWildcard && (other.bytes.count == 16 || bytes.count == 4)
    }

    /// Binds a socket at the address as the daemon's listeners do, and closes it again: it never listens, so no peer can connect
    /// to it, and a listener that is there already is not disturbed. A daemon that starts meanwhile is not kept from the port.
    ///
    /// - Returns: what the system says against it (`errno`); `nil`: nothing.
    func bindProblem(port: Int) -> Int32? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var (on, off): (Int32, Int32) = (1, 0)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        guard let status = withSocketAddress(port: port, { bind(descriptor, $0, $1) }) else { return EINVAL }
        return status == 0 ? nil : errno
    }

    /// `AF_INET` or `AF_INET6`.
    var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    /// Hands the address with a port to a system call; `nil` for a number that is no port.
    func withSocketAddress(port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32? {
        guard let port = UInt16(exactly: port) else { return nil }
        if family == AF_INET {
            var address = sockaddr_in()
            (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return Self.with(&address, call)
        }
        var address = sockaddr_in6()
        (address.sin6_family, address.sin6_port, address.sin6_scope_id) = (sa_family_t(AF_INET6), port.bigEndian, scope)
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return Self.with(&address, call)
    }

    private static func with<Address>(
        _ address: inout Address, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}
