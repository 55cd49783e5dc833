import Dispatch
import Foundation

/// An HTTP server on loopback that answers each connection once, in any way that a test asks for.
final class LocalServer: Sendable {
    struct Request: Sendable {
        let head: String
        let body: Data

        var path: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        var json: [String: String] { (try? JSONDecoder().decode([String: String].self, from: body)) ?? [:] }
    }

    enum Answer: Sendable {
        case whole(String)
        /// The head, and then a body without an end.
        case endless(String)
        /// The connection stays open, without a byte.
        case silence
        case hangUp
    }

    struct Failure: Error {}

    let requests = Locked<[Request]>([])
    /// How many endless answers were ended by the other side.
    let hangUps = Locked(0)
    let port: UInt16
    private let descriptor: Int32
    private let isStopped = Locked(false)
    private let ended = DispatchSemaphore(value: 0)
    private let answer: @Sendable (Request) -> Answer

    init(answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        let descriptor = Self.stream()
        self.descriptor = descriptor
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status else {
            close(descriptor)
            throw Failure()
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// When it returns, nothing listens at the port. The thread that accepts closes its socket itself: the number of a socket that was
    /// closed here could be that of another server by the time it accepts again.
    func stop() {
        isStopped.with { $0 = true }
        let last = Self.stream()
        var address = Self.loopback(port: port)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(last, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        close(last)
        ended.wait()
    }

    static func json(_ status: Int, _ body: String, _ fields: String = "") -> Answer {
        .whole(head(status, body.utf8.count, "Content-Type: application/json\r\n" + fields) + body)
    }

    static func head(_ status: Int, _ length: Int, _ fields: String = "") -> String {
        "HTTP/1.1 \(status) -\r\nConnection: close\r\nContent-Length: \(length)\r\n\(fields)\r\n"
    }

    private func acceptAll() {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard !isStopped.with({ $0 }) else {
                if connection >= 0 { close(connection) }
                close(descriptor)
                ended.signal()
                return
            }
            guard connection >= 0 else { continue }
            Thread.detachNewThread { [self] in
                serve(connection)
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = read(connection) else { return }
        requests.with { $0.append(request) }
        switch answer(request) {
        case .whole(let text):
            _ = write(Array(text.utf8), connection)
        case .endless(let head):
            guard write(Array(head.utf8), connection) else { return }
            // Not as fast as the machine can: the session of Linux would be busy with nothing but reading.
            while write([UInt8](repeating: UInt8(ascii: "x"), count: 512), connection) { Thread.sleep(forTimeInterval: 0.001) }
            hangUps.with { $0 += 1 }
        case .silence:
            // Until the other side ends the connection.
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        case .hangUp: break
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count < 1 << 24 {
            if let end = bytes.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length = head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
                    .flatMap { Int($0.prefix { $0.isNumber }) }
                let body = bytes[end.upperBound...]
                if body.count >= length ?? 0 { return Request(head: head, body: Data(body)) }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
        return nil
    }

    private func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(connection, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Self.noSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    #if os(Linux)
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static func stream() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    #else
        private static let noSignal: Int32 = 0
        private static func stream() -> Int32 {
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            return descriptor
        }
    #endif

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

extension URL {
    /// A port of this machine.
    static func loopback(_ port: UInt16) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LocalServer.Failure() }
        return url
    }
}
