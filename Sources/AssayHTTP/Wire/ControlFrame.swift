import NIOCore

/// Frames of HTTP/2 that belong to the connection (RFC 9113 §6), as bytes: those that are written without NIO's handler, or below it.
enum ControlFrame {
    /// What the PING has that asks whether the client knows of the end.
    static let question: UInt64 = 0x676f_2061_7761_7921

    /// The types (RFC 9113 §6).
    static let (settings, ping, goAway, windowUpdate) = (UInt8(4), UInt8(6), UInt8(7), UInt8(8))
    /// The flag ACK of SETTINGS and PING.
    static let acknowledged: UInt8 = 1

    static let settingsAcknowledged = frame(settings, flags: acknowledged, ByteBuffer())

    /// - Parameter values: numbers of parameters (§6.5.2) and their values, in this order.
    static func settings(_ values: [(parameter: UInt16, value: UInt32)]) -> ByteBuffer {
        var payload = ByteBuffer()
        for (parameter, value) in values { payload.writeMultipleIntegers(parameter, value) }
        return frame(settings, payload)
    }

    static func windowUpdate(_ increment: UInt32) -> ByteBuffer { frame(windowUpdate, ByteBuffer(integer: increment)) }

    static func ping(_ data: UInt64) -> ByteBuffer { frame(ping, ByteBuffer(integer: data)) }

    /// The GOAWAY of a graceful end (§6.8), which names no stream.
    static func announcement(of end: HTTPEndReason) -> ByteBuffer {
        // The highest number of a stream, and no error.
        goAway(lastStream: 0x7fff_ffff, code: 0, text: end.rawValue)
    }

    static func goAway(lastStream: UInt32, code: UInt32, text: String) -> ByteBuffer {
        var payload = ByteBuffer()
        payload.writeMultipleIntegers(lastStream, code)
        payload.writeString(text)
        return frame(goAway, payload)
    }

    /// - Parameter stream: 0 is the connection itself.
    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: ByteBuffer) -> ByteBuffer {
        var frame = ByteBuffer()
        // The length in three bytes and the type, the flags.
        frame.writeMultipleIntegers(UInt32(payload.readableBytes) << 8 | UInt32(type), flags, stream)
        frame.writeImmutableBuffer(payload)
        return frame
    }
}
