/// What a server holds for the socket of one connection, and how long it waits for its peer, whatever protocol they speak.
package struct SocketLimits: Hashable, Sendable {
    /// A connection that has received no complete request for this long, and has no call in flight, is told so and closed.
    package var idleTimeout = Duration.seconds(300)
    /// How long bytes may wait for the kernel's socket buffer, or for a window of the peer; then the connection is closed.
    package var writeTimeout = Duration.seconds(30)
    /// How long calls in flight may take after the peer was told that the connection ends.
    package var drainTimeout = Duration.seconds(10)
    /// How long the server waits after the last answer for the peer to close its side: what is followed by a close at once is often lost, since
    /// unread input resets the connection.
    package var lingerTimeout = Duration.seconds(2)

    /// Bytes of input that are read and discarded after a fault, before the connection is closed: a peer that is told of it has at most a few
    /// messages under way.
    package var maxDiscardedBytes = 4 << 20
    /// Bytes of one connection's answers that wait because the peer does not read. Beyond it the connection is closed.
    package var maxOutboundBytes = 16 << 20
    /// The same for all connections of the server together. Beyond it the connection is closed whose peer has not read for the longest time.
    package var maxOutboundBytesTotal = 256 << 20

    package init() {}
}
