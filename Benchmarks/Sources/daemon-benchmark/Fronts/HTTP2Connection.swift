import Foundation

/// A connection of HTTP/2 without TLS over a blocking socket, which reads no more of the answers than it must: where frames end, and which
/// are the last of their streams. Header fields are not decoded: an answer is judged by its message.
final class HTTP2Connection: BurstConnection {
    private let socket: PlainConnection
    private var input: [UInt8] = []
    /// Where the next frame begins.
    private var start = 0
    /// Bytes of DATA that the server takes on all streams together (RFC 9113 §6.9).
    private var window = 65_535
    private var hasSettings = false

    init(_ address: String) throws {
        socket = try PlainConnection(address)
        let largest = UInt32(Int32.max)
        // SETTINGS_ENABLE_PUSH 0, SETTINGS_INITIAL_WINDOW_SIZE: answers never wait for a window.
        let settings = HTTP2Frame(type: .settings, [0, 2, 0, 0, 0, 0, 0, 4] + HTTP2Frame.number(largest))
        let update = HTTP2Frame(type: .windowUpdate, HTTP2Frame.number(largest - 65_535))
        try socket.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings.bytes + update.bytes)
        // A server may take fewer streams than it says until its settings are acknowledged.
        while !hasSettings { _ = try nextFrame() }
    }

    func exchange(_ burst: [UInt8], calls: Int) throws -> [[UInt8]] {
        let wanted = Self.dataBytes(in: burst)
        while window < wanted { _ = try nextFrame() }
        window -= wanted
        try socket.send(burst)
        var replies: [[UInt8]] = []
        replies.reserveCapacity(calls)
        var bodies: [UInt32: [UInt8]] = [:]
        while replies.count < calls {
            guard let frame = try nextFrame() else { continue }
            if frame.type == .data { bodies[frame.stream, default: []] += frame.payload }
            guard frame.type == .resetStream || frame.flags & HTTP2Frame.endStream != 0 else { continue }
            replies.append(bodies.removeValue(forKey: frame.stream) ?? [])
        }
        return replies
    }

    /// The next frame of a stream; `nil` for one of the connection, which is answered as it must be.
    private func nextFrame() throws -> HTTP2Frame? {
        while true {
            let length = input.count - start >= HTTP2Frame.headBytes ? Int(number(at: start, bytes: 3)) : Int.max
            if length <= input.count - start - HTTP2Frame.headBytes { return try take(length) }
            input.removeFirst(start)
            start = 0
            try socket.receive(into: &input)
        }
    }

    private func take(_ length: Int) throws -> HTTP2Frame? {
        let head = start
        let payload = head + HTTP2Frame.headBytes
        start = payload + length
        let (flags, stream) = (input[head + 4], number(at: head + 5, bytes: 4))
        guard let type = HTTP2Frame.Kind(rawValue: input[head + 3]) else { return nil }
        switch type {
        case .data: return HTTP2Frame(type: type, flags: flags, stream: stream, Array(input[payload..<start]))
        case .headers, .resetStream:
            return HTTP2Frame(type: type, flags: type == .headers ? flags : 0, stream: stream)
        case .settings where flags & HTTP2Frame.acknowledgement == 0:
            hasSettings = true
            try socket.send(HTTP2Frame(type: .settings, flags: HTTP2Frame.acknowledgement).bytes)
        case .ping where flags & HTTP2Frame.acknowledgement == 0:
            let answer = HTTP2Frame(type: .ping, flags: HTTP2Frame.acknowledgement, Array(input[payload..<start]))
            try socket.send(answer.bytes)
        case .windowUpdate where stream == 0 && length == 4: window += Int(number(at: payload, bytes: 4))
        case .goAway: throw POSIXError(.ECONNRESET)
        case .settings, .ping, .windowUpdate: break
        }
        return nil
    }

    private func number(at place: Int, bytes: Int) -> UInt32 { input[place..<place + bytes].reduce(0) { $0 << 8 | UInt32($1) } }

    /// Bytes of all DATA frames, which count against the window.
    private static func dataBytes(in burst: [UInt8]) -> Int {
        var (place, sum) = (0, 0)
        while place + HTTP2Frame.headBytes <= burst.count {
            let length = burst[place..<place + 3].reduce(0) { $0 << 8 | Int($1) }
            if burst[place + 3] == HTTP2Frame.Kind.data.rawValue { sum += length }
            place += HTTP2Frame.headBytes + length
        }
        return sum
    }
}
