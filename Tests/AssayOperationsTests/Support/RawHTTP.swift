import Foundation
import Glibc

/// A connection without a library, for clients that misbehave.
final class RawHTTP: Sendable {
    struct Response: Hashable {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: String
    }

    /// `IP_BIND_ADDRESS_NO_PORT` of ip(7), which the module map does not export.
    private static let bindAddressNoPort: Int32 = 24

    private let descriptor: Int32

    /// Connects to a port of this machine, or to a Unix socket.
    ///
    /// - Parameter source: the address of this machine that it connects from, as four numbers.
    init?(port: Int = 0, path: String? = nil, patience: Int = 60, from source: (UInt8, UInt8, UInt8, UInt8) = (127, 0, 0, 1)) {
        descriptor = socket(path == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard path != nil || bindTo(source) else { return nil }
        guard path.map(connectTo) ?? connectTo(port) else { return nil }
    }

    deinit { close(descriptor) }

    private func bindTo(_ source: (UInt8, UInt8, UInt8, UInt8)) -> Bool {
        // The port is chosen when the connection is made: by the bind each would be used once a minute on this machine, by all tests together.
        var isLate: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_IP), Self.bindAddressNoPort, &isLate, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: [source.0, source.1, source.2, source.3]) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private func connectTo(_ port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private func connectTo(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Blocking calls run on threads of their own, so that they do not hold those on which the server answers.
    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { waiter in Thread.detachNewThread { waiter.resume(returning: body()) } }
    }

    /// False: the peer accepts no more.
    @discardableResult
    func send(_ text: String) async -> Bool { await blocking { self.sendNow(text) } }

    /// The next response; `nil` if the connection ends before.
    func response(hasBody: Bool = true) async -> Response? { await blocking { self.responseNow(hasBody: hasBody) } }

    private func sendNow(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func byte() -> UInt8? {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
    }

    private func line() -> String? {
        var bytes: [UInt8] = []
        while let next = byte() {
            if next == UInt8(ascii: "\n") { return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self) }
            bytes.append(next)
        }
        return nil
    }

    private func responseNow(hasBody: Bool) -> Response? {
        guard let first = line(), first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
            return nil
        }
        var headers: [String: String] = [:]
        while let line = line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        var body: [UInt8] = []
        if hasBody {
            for _ in 0..<(Int(headers["content-length"] ?? "0") ?? 0) {
                guard let next = byte() else { return nil }
                body.append(next)
            }
        }
        return Response(status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
    }

    func get(_ path: String, _ headers: String...) async -> Response? {
        await request("GET \(path) HTTP/1.1\r\nHost: a\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    func request(_ text: String, hasBody: Bool = true) async -> Response? {
        await send(text) ? await response(hasBody: hasBody) : nil
    }

    /// Waits until the peer has closed; false after the patience.
    func isClosedByPeer() async -> Bool {
        await blocking {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(self.descriptor, &buffer, buffer.count, 0)
                if count > 0 { continue }
                return count == 0 || errno == ECONNRESET
            }
        }
    }
}
