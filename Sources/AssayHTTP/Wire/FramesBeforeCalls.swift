package import NIOCore

/// Follows what a client of HTTP/2 sends before its first call: its preface, its settings, the acknowledgement of the server's, and more window for
/// the connection (RFC 9113 §3.4, §6.5, §6.9).
///
/// It judges nothing. Every other frame, and every frame that may be wrong, is for the handler of the whole protocol, which is given all bytes.
package struct FramesBeforeCalls {
    /// The most bytes that are kept of a client without a call. Clients send about 100: preface, one SETTINGS frame with six values, its
    /// acknowledgement, one WINDOW_UPDATE.
    package static let mostBytes = 512

    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// SETTINGS frames of the client that have come whole.
    package private(set) var settings = 0
    /// What the server has asked by a PING; `nil`: nothing.
    package var question: UInt64?
    /// The client has answered it.
    package private(set) var isAnswered = false

    /// Where the frame begins that has not come whole, counted from the first byte.
    private var next = preface.count
    private var hasAcknowledged = false
    private var window: UInt32 = 65_535

    private static let headLength = 9
    private static let widestWindow: UInt32 = 0x7fff_ffff

    package init() {}

    /// Whether all frames are of the kinds named above. The last one may have come in part.
    ///
    /// - Parameter bytes: all that came, from the first byte on: those of the last time, and more. The preface was compared.
    package mutating func areAll(in bytes: ByteBuffer) -> Bool {
        while let head = Head(at: bytes.readerIndex + next, in: bytes) {
            let length = Self.headLength + head.length
            guard isExpected(head), next + length <= Self.mostBytes else { return false }
            guard
                let payload = bytes.getSlice(at: bytes.readerIndex + next + Self.headLength, length: head.length)
            else { return true }
            guard take(head, payload) else { return false }
            next += length
        }
        return true
    }

    /// The nine bytes before a payload.
    private struct Head {
        let length: Int
        let type: UInt8
        let flags: UInt8
        let stream: UInt32

        init?(at index: Int, in bytes: ByteBuffer) {
            guard
                let word = bytes.getInteger(at: index, as: UInt32.self),
                let flags = bytes.getInteger(at: index + 4, as: UInt8.self),
                let stream = bytes.getInteger(at: index + 5, as: UInt32.self)
            else { return nil }
            (length, type) = (Int(word >> 8), UInt8(truncatingIfNeeded: word))
            (self.flags, self.stream) = (flags, stream)
        }
    }

    private func isExpected(_ head: Head) -> Bool {
        guard head.stream == 0 else { return false }
        switch (head.type, head.flags) {
        case (ControlFrame.settings, 0): return head.length % 6 == 0
        // Settings are the first frame of a client.
        case (ControlFrame.settings, ControlFrame.acknowledged): return head.length == 0 && settings > 0 && !hasAcknowledged
        case (ControlFrame.windowUpdate, 0): return head.length == 4 && settings > 0
        case (ControlFrame.ping, ControlFrame.acknowledged): return head.length == 8 && question != nil
        default: return false
        }
    }

    private mutating func take(_ head: Head, _ payload: ByteBuffer) -> Bool {
        switch (head.type, head.flags) {
        case (ControlFrame.settings, 0):
            guard Self.areValid(payload) else { return false }
            settings += 1
        case (ControlFrame.settings, _): hasAcknowledged = true
        case (ControlFrame.windowUpdate, _):
            guard let increment = payload.getInteger(at: payload.readerIndex, as: UInt32.self) else { return false }
            guard increment > 0, increment <= Self.widestWindow - window else { return false }
            window += increment
        default:
            guard payload.getInteger(at: payload.readerIndex) == question else { return false }
            isAnswered = true
        }
        return true
    }

    /// Whether no value can be wrong (RFC 9113 §6.5.2).
    private static func areValid(_ settings: ByteBuffer) -> Bool {
        var settings = settings
        while let (parameter, value) = settings.readMultipleIntegers(as: (UInt16, UInt32).self) {
            switch parameter {
            // SETTINGS_ENABLE_PUSH.
            case 2: guard value <= 1 else { return false }
            // SETTINGS_INITIAL_WINDOW_SIZE.
            case 4: guard value <= widestWindow else { return false }
            // SETTINGS_MAX_FRAME_SIZE.
            case 5: guard (1 << 14..<1 << 24).contains(value) else { return false }
            // SETTINGS_ENABLE_CONNECT_PROTOCOL, which may not be taken back (RFC 8441 §3).
            case 8: return false
            default: break
            }
        }
        return true
    }
}
