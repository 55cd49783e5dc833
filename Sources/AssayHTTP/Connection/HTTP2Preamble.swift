import NIOCore
import NIOHTTP2

/// What the server says first over HTTP/2: its settings (RFC 9113 §6.5), and the window of the connection, which settings do not have (§6.9.2).
struct HTTP2Preamble {
    /// The window of a connection, in bytes.
    static let window = 4 << 20
    /// The window of either side before there is more of it (RFC 9113 §6.9.2).
    static let firstWindow = 65_535
    static let windowIncrement = window - firstWindow

    private let values: [(parameter: HTTP2SettingsParameter, number: UInt16, value: Int)]

    init(_ limits: HTTPLimits) {
        values = [
            // The peer is held to NIO's 100 until it has acknowledged this.
            (.maxConcurrentStreams, 3, max(HTTPLimits.leastStreams, limits.maxStreams)),
            // A header that is longer than may be ends its stream here; beyond this it ends the connection.
            (.maxHeaderListSize, 6, 2 * limits.maxHeaderBytes),
            (.initialWindowSize, 4, limits.maxMessageBytes + (16 << 10)),
        ]
    }

    var settings: [HTTP2Setting] { values.map { HTTP2Setting(parameter: $0.parameter, value: $0.value) } }

    /// Byte for byte as NIO's handler writes them, and in this order.
    var frames: [ByteBuffer] {
        [
            ControlFrame.settings(values.map { ($0.number, UInt32(clamping: $0.value)) }),
            ControlFrame.windowUpdate(UInt32(clamping: Self.windowIncrement)),
        ]
    }
}
