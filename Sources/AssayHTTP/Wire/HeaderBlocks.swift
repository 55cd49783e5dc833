package import NIOCore

/// Follows the frames of HTTP/2 that a client sends (RFC 9113 §4.1) as far as it takes to know whether a head has come in part.
///
/// NIO's handler hands a head over when its last CONTINUATION is there, and says nothing of what it has before. Until then nothing else can come on
/// the connection (§6.10).
package struct HeaderBlocks {
    /// When the block began whose end has not come; `nil`: there is none.
    package private(set) var openSince: NIODeadline?

    /// Of the client's preface (§3.4), or of the payload of the frame that comes.
    private var left = 24
    /// Of the nine bytes before a payload, those that have come, and what they said.
    private var headBytes = 0
    private var (length, type, flags) = (0, UInt8(0), UInt8(0))

    private static let headLength = 9
    private static let (headers, continuation) = (UInt8(1), UInt8(9))
    private static let endHeaders: UInt8 = 4

    package init() {}

    /// - Parameter bytes: what came, cut anywhere. The first ones are the client's preface.
    package mutating func read(_ bytes: ByteBuffer, at now: NIODeadline) {
        bytes.withUnsafeReadableBytes { bytes in
            var next = 0
            while next < bytes.count {
                if left > 0 {
                    let count = min(left, bytes.count - next)
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
        case 0: length = Int(byte)
        case 1, 2: length = length << 8 | Int(byte)
        case 3:
            type = byte
            if type == Self.headers { openSince = now }
        case 4: flags = byte
        // The stream.
        default: break
        }
        headBytes += 1
        if headBytes == Self.headLength { left = length }
    }

    private mutating func endFrame() {
        headBytes = 0
        if type == Self.headers || type == Self.continuation, flags & Self.endHeaders != 0 { openSince = nil }
    }
}
