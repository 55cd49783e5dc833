/// What a server allows. Every queue, wait and size of a connection is bounded by one of these.
package struct RPCLimits: Hashable, Sendable {
    /// The longest frame, in either direction, without its length. Evidence of four chains is below 64 KiB.
    package var maxFrameBytes = 1 << 20

    /// Calls of one connection that are being worked on. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`.
    package var maxInFlightPerConnection = 256
    /// Calls of one caller on all its connections. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`. Half of what all callers have.
    package var maxInFlightPerCaller = 2048
    /// Calls of all connections, the last sixteenth of them for callers that have few. Beyond it: RESOURCE_EXHAUSTED, `overloaded`. At 20,000 verdicts a second, 200 ms of work.
    package var maxInFlightTotal = 4096
    /// Bytes of all calls in flight and of all frames that have only partly arrived. Beyond it calls are answered `overloaded`,
    /// and a connection with a partial frame is sent away. The last sixteenth is for callers that hold little. Partial frames hold half of it at most; beyond that the oldest gives
    /// way.
    package var maxHeldBytesTotal = 256 << 20

    /// Open connections. One more gets GoAway `too_many_connections`. Each takes a descriptor; with handshakes and the store that
    /// stays below 20,000, which small machines allow.
    package var maxConnections = 16_384

    /// From accept to the end of TLS's handshake, else the connection is closed.
    package var handshakeTimeout = Duration.seconds(5)
    /// Handshakes under way; beyond it the oldest gives way. They come on top of the open connections.
    package var maxHandshakes = 2048

    /// How long a connection may stand without a look whether its caller's certificate and the CAs are still good. Whatever this
    /// is, it is looked at when the certificate ends.
    package var certificateInterval = Duration.seconds(30)

    /// A connection without a whole frame from the peer for so long, and without a call in flight, gets GoAway `idle_timeout`.
    package var idleTimeout = Duration.seconds(300)
    /// From accept to the first whole frame, else GoAway `first_frame_timeout`.
    package var firstFrameTimeout = Duration.seconds(10)
    /// From the first to the last byte of a frame, else GoAway `frame_timeout`.
    package var frameTimeout = Duration.seconds(30)
    /// What was given to the kernel's socket buffer must have gone into it after so long, else the connection is closed.
    package var writeTimeout = Duration.seconds(30)
    /// After GoAway: how long calls in flight may still take.
    package var drainTimeout = Duration.seconds(10)
    /// After the last answer: how long to wait for the peer to close its side.
    package var lingerTimeout = Duration.seconds(2)

    /// Input that is read and thrown away after a fault, in bytes, before the connection is closed without further courtesy.
    package var maxDiscardedBytes = 4 << 20
    /// Answers of one connection that wait for a peer which does not read, in bytes. Beyond it the connection is closed.
    package var maxOutboundBytes = 16 << 20
    /// The same of all connections together. Beyond it the connection is closed whose peer has not read for the longest.
    package var maxOutboundBytesTotal = 256 << 20
    /// Answers waiting above which streams of the connection suspend in `send`, in bytes.
    package var streamHighWaterBytes = 256 << 10

    package init() {}
}
