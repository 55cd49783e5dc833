package import AssayListening

/// The limits of what one connection of the HTTP server may hold, and how long it may take. Those of its socket read as its own. What the framed
/// protocol has too has its numbers, so that a caller finds the same daemon by either protocol.
@dynamicMemberLookup
package struct HTTPLimits: Hashable, Sendable {
    package var socket = SocketLimits()

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

    /// From accept to the end of the first head, and from the first to the last byte of each. A head is one packet or two.
    package var headTimeout = Duration.seconds(10)
    /// From the end of a head to the end of its message, as `FramedLimits.frameTimeout`. ``maxMessageBytes`` take as long at 280 kbit/s.
    package var bodyTimeout = Duration.seconds(30)
    /// How long the server waits, once it has said that it stops or that a connection was idle, for the client of HTTP/2 to know of it: so long
    /// it does requests that were under way. Part of ``AssayListening/SocketLimits/drainTimeout``; a client answers within a round trip.
    package var goAwayTimeout = Duration.seconds(1)
    /// After a connection's last answer, until it rests: then it has given back the memory of its protocol (``HTTPTransport/rest()``). What it takes to
    /// go on with the next request is less than 0.1 ms.
    package var restTime = Duration.seconds(1)
    /// The same after bytes that brought no request, such as a PING: a peer cannot let the daemon do this work more often.
    package var restTimeWithoutRequest = Duration.seconds(30)

    // MARK: Bytes

    /// Bytes of a stream's waiting answers above which `send` suspends it. Streams have windows of their own, so it is counted for each: 256 of
    /// them hold ``AssayListening/SocketLimits/maxOutboundBytes``.
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
    /// The same of any peer within a second: more than twice the calls that a connection may have in flight.
    package static let mostResetsAtOnce = 600
    /// PING, SETTINGS and PRIORITY frames of one connection in ``floodInterval``, together. A client sends a PING in some seconds at most.
    package var maxControlFrames = 200
    /// What resets and control frames are counted over.
    package var floodInterval = Duration.seconds(30)

    package init() {}

    package subscript<T>(dynamicMember field: WritableKeyPath<SocketLimits, T>) -> T {
        get { socket[keyPath: field] }
        set { socket[keyPath: field] = newValue }
    }
}
