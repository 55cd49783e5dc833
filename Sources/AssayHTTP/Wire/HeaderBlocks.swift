package import NIOCore

/// Follows the frames of HTTP/2 that a client sends (RFC 9113 §4.1) as far as it takes to know whether a head has come in part.
///
/// NIO's handler hands a head over when its last CONTINUATION is there, and says nothing of what it has before. Until then nothing else can come on
/// the connection (§6.10).
package struct HeaderBlocks {
    /// When the block began whose end has not come; `nil`: there is none.
    package private(set) var openSince: NIODeadline?
    /// What a later handler of the connection must know of the frames so far.
    package private(set) var history = FrameHistory()

    /// Of the client's preface (§3.4), or of the payload of the frame that comes.
    private var left = 24
    /// Of the nine bytes before a payload, those that have come, and what they said.
    private var headBytes = 0
    private var (length, type, flags, stream) = (0, UInt8(0), UInt8(0), UInt32(0))
    /// Of a payload that the history wants and that has come in part; `nil`: none is gathered.
    private var gathered: [UInt8]?

    private static let headLength = 9
    private static let (headers, continuation) = (UInt8(1), UInt8(9))
    private static let endHeaders: UInt8 = 4

    package init() {}

    /// Whether all frames so far have come whole, and no head is open.
    package var isBetweenFrames: Bool { left == 0 && headBytes == 0 && openSince == nil }

    /// The history is not of use any more: a frame was refused, of which it may be wrong what it did.
    package mutating func forgetHistory() {
        history.lose()
        gathered = nil
    }

    /// - Parameter bytes: what came, cut anywhere. The first ones are the client's preface.
    package mutating func read(_ bytes: ByteBuffer, at now: NIODeadline) {
        bytes.withUnsafeReadableBytes { bytes in
            var next = 0
            while next < bytes.count {
                if left > 0 {
                    let count = min(left, bytes.count - next)
                    gather(UnsafeRawBufferPointer(rebasing: bytes[next..<next + count]))
                    (left, next) = (left - count, next + count)
                } else {
                    readHead(bytes[next], at: now)
                    next += 1
                }
                if left == 0, headBytes == Self.headLength { endFrame() }
            }
        }
    }

    private mutating func readHead(_ byte: UInt8, at now: NIODeadline) {
        switch headBytes {
        case 0: (length, stream) = (Int(byte), 0)
        case 1, 2: length = length << 8 | Int(byte)
        case 3:
            type = byte
            if type == Self.headers { openSince = now }
        case 4: flags = byte
        default: stream = stream << 8 | UInt32(byte)
        }
        headBytes += 1
        if headBytes == Self.headLength { left = length }
    }

    /// Hands a payload to the history, which is copied only if it comes in parts.
    private mutating func gather(_ part: UnsafeRawBufferPointer) {
        guard headBytes == Self.headLength, history.wants(type, flags: flags, length: length) else { return }
        guard part.count < length else { return history.take(type, flags: flags, stream: stream, part) }
        gathered = (gathered ?? []) + part
        guard part.count == left, let payload = gathered else { return }
        gathered = nil
        payload.withUnsafeBytes { history.take(type, flags: flags, stream: stream, $0) }
    }

    private mutating func endFrame() {
        headBytes = 0
        if length == 0, history.wants(type, flags: flags, length: 0) {
            history.take(type, flags: flags, stream: stream, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        if type == Self.headers || type == Self.continuation, flags & Self.endHeaders != 0 { openSince = nil }
    }
}
