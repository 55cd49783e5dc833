/// What a client allows and how long it waits.
package struct RPCConnectionLimits: Hashable, Sendable {
    /// The longest frame, in either direction, without its length. The server's limit should not be smaller.
    package var maxFrameBytes = 1 << 20
    /// From the first attempt until the connection stands; then UNAVAILABLE, `connect_failed`.
    package var connectTimeout = Duration.seconds(10)
    /// After so long without a byte from the server it is asked for a sign of life. Below the server's idle timeout.
    package var keepAliveInterval = Duration.seconds(30)
    /// How long the sign of life may take; then every call fails with UNAVAILABLE, `connection_lost`.
    package var pongTimeout = Duration.seconds(15)
    /// How long ``RPCConnection/close()`` waits for the calls in flight.
    package var closeTimeout = Duration.seconds(10)
    /// Calls that wait for a server which does not read, in bytes; beyond it a call fails with `send_buffer_full`.
    package var maxOutboundBytes = 16 << 20
    /// Stream items that nobody has taken yet, in bytes; beyond it nothing is read, so answers of other calls wait too.
    package var maxQueuedItemBytes = 1 << 20

    package init() {}
}
