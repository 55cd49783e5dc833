import AssayTesting
import Foundation
import SwiftProtobuf

/// The framed protocol (`proto/README.md`), over a blocking socket.
final class FramedFront: Front {
    let name = "frames"
    private let socket: Int32
    /// One call at a time.
    private let queue = DispatchQueue(label: "frames")

    init(port: Int) throws {
        socket = try Loopback.connect(port)
    }

    deinit { close(socket) }

    func call(_ request: RecordedRequest) async throws -> CallOutcome {
        try await call(request.method.path, request.message)
    }

    /// Makes a call that must be answered.
    func call<Answer: Message>(_ method: ComparedMethod, _ request: some Message, of: Answer.Type) async throws -> Answer {
        switch try await call(method.path, try request.serializedBytes()) {
        case .answer(let bytes): return try Answer(serializedBytes: bytes)
        case .error(let status): throw ProtocolFault("\(method.path): \(status)")
        }
    }

    private func call(_ path: String, _ message: [UInt8]) async throws -> CallOutcome {
        let frame = Self.frame("/" + path, message)
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        try self.send(frame)
                        return try self.reply()
                    })
            }
        }
    }

    /// A call with the number 1, which is free again when it is answered, with a minute to answer it, behind its length.
    private static func frame(_ method: String, _ message: [UInt8]) -> [UInt8] {
        let call = field(1, Array(method.utf8)) + field(2, message) + [3 << 3] + varint(60_000)
        let frame = [1 << 3, 1] + field(2, call)
        return withUnsafeBytes(of: UInt32(frame.count).bigEndian) { Array($0) } + frame
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2] + varint(bytes.count) + bytes }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    /// The next reply. Pings and other frames that belong to no call are passed over.
    private func reply() throws -> CallOutcome {
        while true {
            let length = try receive(4).reduce(0) { $0 << 8 | Int($1) }
            guard let frame = ProtobufFields(try receive(length)) else { throw ProtocolFault("a frame that is no message") }
            guard frame.number(1) == 1, let reply = frame.bytes(3).flatMap({ ProtobufFields($0) }) else { continue }
            guard let status = reply.bytes(1) else { return .answer(reply.bytes(2) ?? []) }
            guard let fields = ProtobufFields(status) else { throw ProtocolFault("a status that is no message") }
            return .error(
                TestCallStatus(
                    code: Int(clamping: fields.number(1)), message: fields.text(2), reason: fields.text(3),
                    retryAfterMilliseconds: fields.number(4)))
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            let read = recv(socket, &chunk, chunk.count, 0)
            guard read > 0 else { throw POSIXError(.EPIPE) }
            bytes += chunk.prefix(read)
        }
        return bytes
    }
}

/// Sockets of this machine.
enum Loopback {
    /// The descriptor of a connection.
    static func connect(_ port: Int) throws -> Int32 {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(socket)
            throw POSIXError(.ECONNREFUSED)
        }
        return socket
    }
}
