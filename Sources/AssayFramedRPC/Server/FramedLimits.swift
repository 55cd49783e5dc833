package import AssayListening
package import AssayRPC

/// The limits of a daemon whose front is the framed server: those of calls, those of connections and those of
/// frames. Every queue, wait and size is
/// bounded by one of them. The fields read as one flat list, as the section `limits` of the configuration has them.
@dynamicMemberLookup
package struct RPCLimits: Hashable, Sendable {
    package var calls = CallLimits()
    package var connections = ConnectionLimits()
    package var framed = FramedLimits()

    package init() {}

    package subscript<T>(dynamicMember field: WritableKeyPath<CallLimits, T>) -> T {
        get { calls[keyPath: field] }
        set { calls[keyPath: field] = newValue }
    }

    package subscript<T>(dynamicMember field: WritableKeyPath<ConnectionLimits, T>) -> T {
        get { connections[keyPath: field] }
        set { connections[keyPath: field] = newValue }
    }

    package subscript<T>(dynamicMember field: WritableKeyPath<FramedLimits, T>) -> T {
        get { framed[keyPath: field] }
        set { framed[keyPath: field] = newValue }
    }
}

/// The limits of what one connection of the framed server may hold, and how long it may take.
package struct FramedLimits: Hashable, Sendable {
    /// The longest frame in either direction, in bytes, without its length. Evidence of four chains is below 64 KiB.
    package var maxFrameBytes = 1 << 20

    /// Calls of one connection in flight. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`.
    package var maxInFlightPerConnection = 256

    /// A connection that has received no complete frame for this long, and has no call in flight, gets GoAway `idle_timeout`.
    package var idleTimeout = Duration.seconds(300)
    /// From accept to the first complete frame; then GoAway `first_frame_timeout`.
    package var firstFrameTimeout = Duration.seconds(10)
    /// From the first to the last byte of a frame; then GoAway `frame_timeout`.
    package var frameTimeout = Duration.seconds(30)
    /// How long bytes may wait for the kernel's socket buffer; then the connection is closed.
    package var writeTimeout = Duration.seconds(30)
    /// How long calls in flight may take after GoAway.
    package var drainTimeout = Duration.seconds(10)
    /// How long the server waits after the last answer for the peer to close its side.
    package var lingerTimeout = Duration.seconds(2)

    /// Bytes of input that are read and discarded after a fault, before the connection is closed.
    package var maxDiscardedBytes = 4 << 20
    /// Bytes of one connection's answers that wait because the peer does not read. Beyond it the connection is closed.
    package var maxOutboundBytes = 16 << 20
    /// The same for all connections together. Beyond it the connection is closed whose peer has not read for the longest time.
    package var maxOutboundBytesTotal = 256 << 20
    /// Bytes of waiting answers above which `send` suspends the streams of a connection.
    package var streamHighWaterBytes = 256 << 10

    package init() {}
}
