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

/// The limits of what one connection of the framed server may hold, and how long it may take. Those of its socket read as its own.
@dynamicMemberLookup
package struct FramedLimits: Hashable, Sendable {
    package var socket = SocketLimits()

    /// The longest frame in either direction, in bytes, without its length. Evidence of four chains is below 64 KiB.
    package var maxFrameBytes = 1 << 20

    /// Calls of one connection in flight. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`.
    package var maxInFlightPerConnection = 256

    /// From accept to the first complete frame; then GoAway `first_frame_timeout`.
    package var firstFrameTimeout = Duration.seconds(10)
    /// From the first to the last byte of a frame; then GoAway `frame_timeout`.
    package var frameTimeout = Duration.seconds(30)

    /// Bytes of waiting answers above which `send` suspends the streams of a connection.
    package var streamHighWaterBytes = 256 << 10

    package init() {}

    package subscript<T>(dynamicMember field: WritableKeyPath<SocketLimits, T>) -> T {
        get { socket[keyPath: field] }
        set { socket[keyPath: field] = newValue }
    }
}
