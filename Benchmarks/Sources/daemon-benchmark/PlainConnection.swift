import Foundation

/// A blocking socket that sends prepared frames and keeps the answers unparsed. The load must cost little compared with the
/// daemon: they share the processors.
final class PlainConnection {
    private let socket: Int32
    private var buffer: [UInt8] = []
    private var chunk: [UInt8]

    /// Connects to `host:port`, an IPv4 address in digits.
    ///
    /// - Parameter size: bytes that are read at once, at most.
    init(_ address: String, reading size: Int = 1 << 18) throws {
        chunk = [UInt8](repeating: 0, count: size)
        let parts = address.split(separator: ":")
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        guard parts.count == 2, let port = UInt16(parts[1]), inet_pton(AF_INET, String(parts[0]), &place.sin_addr) == 1 else {
            throw POSIXError(.EINVAL)
        }
        place.sin_port = port.bigEndian
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// - Parameter socket: a connected stream socket, closed at the end.
    init(adopting socket: Int32) {
        self.socket = socket
        chunk = [UInt8](repeating: 0, count: 1 << 18)
    }

    deinit { close(socket) }

    /// Sends a burst and returns `frames` frames, without their lengths.
    func exchange(_ burst: [UInt8], frames: Int) throws -> [[UInt8]] {
        try send(burst)
        var replies: [[UInt8]] = []
        replies.reserveCapacity(frames)
        while true {
            var start = 0
            while buffer.count - start >= 4 {
                let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                guard buffer.count - start - 4 >= length else { break }
                replies.append(Array(buffer[start + 4..<start + 4 + length]))
                start += 4 + length
            }
            buffer.removeFirst(start)
            guard replies.count < frames else { return replies }
            try receive(into: &buffer)
        }
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress?.advanced(by: sent), $0.count - sent, 0)
            }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            sent += count
        }
    }

    /// Waits for bytes, and adds those that have come.
    func receive(into bytes: inout [UInt8]) throws {
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { throw POSIXError(.EPIPE) }
        bytes += chunk.prefix(count)
    }
}
