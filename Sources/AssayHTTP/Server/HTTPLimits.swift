/// The limits of what one connection of the HTTP server may hold, and how long it may take. Those that the framed protocol has too have its
/// numbers, so that a caller finds the same daemon by either protocol.
package struct HTTPLimits: Hashable, Sendable {
    // MARK: Messages and heads

    /// The longest message in either direction, in bytes, inflated and without its envelope: as `FramedLimits.maxFrameBytes`. Evidence of four
    /// chains is below 64 KiB, and below 90 KiB as JSON.
    package var maxMessageBytes = 1 << 20
    /// The longest head in bytes: names, values, and in HTTP/2 the 32 bytes of each field (RFC 9113 §6.5.2). Honest heads have less than 4 KiB,
    /// and two tokens of 4 KiB, such as client attestations, still fit.
    package var maxHeaderBytes = 16 << 10
    /// Fields of a head. 450 of one byte would pass ``maxHeaderBytes``; a caller behind two proxies sends about 30.
    package var maxHeaderFields = 64

    // MARK: Calls of a connection

    /// Calls of one connection in flight, as `FramedLimits.maxInFlightPerConnection`. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`.
    ///
    /// SETTINGS_MAX_CONCURRENT_STREAMS is never below ``leastStreams``: a stream beyond it is an error of the whole connection in swift-nio-http2,
    /// and would end its other calls, so that surplus calls are refused above the transport.
    package var maxStreams = 256
    /// What a client may open in swift-nio-http2 before it has acknowledged the settings, for any value of theirs. RFC 9113 §6.5.2 advises no less.
    package static let leastStreams = 100
    /// The longest time until a call's deadline; a client that asks for longer gets this. `grpc-timeout` can say 11,000 years, which no clock adds.
    /// Streams without a deadline have none.
    package var longestCallTimeout = Duration.seconds(3600)

    // MARK: Times

    /// A connection that has received no complete request for this long, and has no call in flight, is closed.
    package var idleTimeout = Duration.seconds(300)
    /// From accept to the end of the first head, and from the first to the last byte of each. A head is one packet or two.
    package var headTimeout = Duration.seconds(10)
    /// From the end of a head to the end of its message, as `FramedLimits.frameTimeout`. ``maxMessageBytes`` take as long at 280 kbit/s.
    package var bodyTimeout = Duration.seconds(30)
    /// How long bytes may wait for the kernel's socket buffer, or for the peer's flow-control window; then the connection is closed.
    package var writeTimeout = Duration.seconds(30)
    /// How long calls in flight may take after GOAWAY, or `connection: close`.
    package var drainTimeout = Duration.seconds(10)
    /// How long the server waits, once it has said that it stops or that a connection was idle, for the client of HTTP/2 to know of it: so long
    /// it does requests that were under way. Part of ``drainTimeout``; a client answers within a round trip.
    package var goAwayTimeout = Duration.seconds(1)
    /// How long the server waits after the last answer for the peer to close its side: a GOAWAY that is followed by a close at once is often lost,
    /// since unread input resets the connection.
    package var lingerTimeout = Duration.seconds(2)

    // MARK: Bytes

    /// Bytes of input that are read and discarded after a fault, before the connection is closed: a peer that is told of it has at most a few
    /// messages under way.
    package var maxDiscardedBytes = 4 << 20
    /// Bytes of one connection's answers that wait because the peer does not read. Beyond it the connection is closed.
    package var maxOutboundBytes = 16 << 20
    /// The same for all connections together. Beyond it the connection is closed whose peer has not read for the longest time.
    package var maxOutboundBytesTotal = 256 << 20
    /// Bytes of a stream's waiting answers above which `send` suspends it. Streams have windows of their own, so it is counted for each: 256 of
    /// them hold ``maxOutboundBytes``.
    package var streamHighWaterBytes = 64 << 10
    /// Bytes between two finished requests that belong to no call, such as WINDOW_UPDATE and frames of unknown types, which swift-nio-http2 does
    /// not limit. 200,000 of either cost 40 to 150 ms of a processor, and a client needs a few for each request.
    package var maxOverheadBytes = 1 << 20

    // MARK: Floods

    /// Streams that one connection may reset in ``floodInterval``, of a peer that is no known caller: 200 end a flood of resets (CVE-2023-44487) after
    /// 10 ms of a processor.
    package var maxResets = 200
    /// The same of a known caller: 200 a second. A proxy with 5,000 calls a second, of
    /// which one in a hundred is too late, resets 1,500, and a reset call is cheap once it is abandoned.
    package var maxResetsOfKnownPeers = 6_000
    /// PING, SETTINGS and PRIORITY frames of one connection in ``floodInterval``, together. A client sends a PING in some seconds at most.
    package var maxControlFrames = 200
    /// What resets and control frames are counted over.
    package var floodInterval = Duration.seconds(30)

    package init() {}
}
