/// The limits and timeouts of a client's connection.
package struct RPCConnectionLimits: Hashable, Sendable {
    /// The longest frame, in either direction, without its length. The server's limit should not be smaller.
    package var maxFrameBytes = 1 << 20
    /// From the first attempt until the connection is open; then UNAVAILABLE, `connect_failed`.
    package var connectTimeout = Duration.seconds(10)
    /// After this long without a byte from the server the client sends a ping. Below the server's idle timeout.
    package var keepAliveInterval = Duration.seconds(30)
    /// How long the pong may take; then every call fails with UNAVAILABLE, `connection_lost`.
    package var pongTimeout = Duration.seconds(15)
    /// How long ``RPCConnection/close()`` waits for the calls in flight.
    package var closeTimeout = Duration.seconds(10)
    /// Bytes of calls that wait because the server does not read; beyond it a call fails with `send_buffer_full`.
    package var maxOutboundBytes = 16 << 20
    /// Bytes of stream items that are not taken; beyond it nothing is read, so that answers of other calls wait too.
    package var maxQueuedItemBytes = 1 << 20

    package init() {}
}
