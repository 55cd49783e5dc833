import NIOCore

/// What goes on over a connection of HTTP/2 without calls, and how NIO's handler learns of it: as frames of a client that would have left the same.
struct HTTP2State {
    let history: FrameHistory
    /// What the server may send on the connection.
    let outboundWindow: Int

    /// Bytes of an answer after which the window of a new handler is that of the connection.
    var sentBytes: Int { max(0, HTTP2Preamble.firstWindow - outboundWindow) }

    /// Whether the answer fits into the window of one stream.
    var canBeRepeated: Bool { sentBytes <= streamWindow && outboundWindow >= 0 }

    /// SETTINGS_INITIAL_WINDOW_SIZE of the client (RFC 9113 §6.5.2).
    private var streamWindow: Int {
        var (settings, window) = (ByteBuffer(bytes: history.settings), HTTP2Preamble.firstWindow)
        while let (parameter, value) = settings.readMultipleIntegers(as: (UInt16, UInt32).self) {
            if parameter == 4 { window = Int(value) }
        }
        return window
    }

    /// The client's preface and settings, its acknowledgement of the server's, and the window that it has given beyond the first.
    var beginning: ByteBuffer {
        var bytes = ByteBuffer(bytes: FramesBeforeCalls.preface)
        bytes.writeImmutableBuffer(ControlFrame.frame(ControlFrame.settings, ByteBuffer(bytes: history.settings)))
        bytes.writeImmutableBuffer(ControlFrame.settingsAcknowledged)
        let more = outboundWindow - HTTP2Preamble.firstWindow
        if more > 0 { bytes.writeImmutableBuffer(ControlFrame.windowUpdate(UInt32(clamping: more))) }
        return bytes
    }

    /// The heads that have made the table of the client's compressor, on the last streams that the client has begun. The last one is always among
    /// them, so that NIO's handler knows the number.
    var heads: [(stream: UInt32, frame: ByteBuffer)] {
        var blocks = history.blocks
        if blocks.isEmpty { blocks = [Self.plainHead[...]] }
        return blocks.enumerated().map { index, block in
            let stream = history.lastStream - 2 * UInt32(blocks.count - 1 - index)
            return (stream, ControlFrame.frame(Self.headers, flags: Self.endHeaders, stream: stream, ByteBuffer(bytes: block)))
        }
    }

    private static let (headers, endHeaders) = (UInt8(1), UInt8(4))
    /// POST, http and / of the static table (RFC 7541 appendix A).
    private static let plainHead: [UInt8] = [0x83, 0x86, 0x84]
}
