import NIOCore

/// One version of HTTP on a connection: requests in, answers out. Used on the connection's event loop.
///
/// What comes in it hands to its ``HTTPConnection``: the head of each request, its body, its end, and that the exchange is over. Nothing that it is
/// told to write leaves before ``flush()``.
protocol HTTPTransport: HTTPGoingAway {
    /// Whether an answer can have trailers behind its body, without which gRPC cannot be answered.
    var hasTrailers: Bool { get }

    /// Since when the head of a request has come in part; `nil`: none has.
    var headSince: NIODeadline? { get }

    /// Writes a whole answer, or its end if the head was written before.
    ///
    /// - Parameter isFirst: the head was not written.
    func write(_ answer: HTTPAnswer, of exchange: UInt32, isFirst: Bool)

    /// Writes one message of a stream.
    func write(_ item: ByteBuffer, _ format: CallFormat, of exchange: UInt32, isFirst: Bool)

    /// Lets a client send the body that it waits with (`Expect: 100-continue`).
    func sendContinue(_ exchange: UInt32)

    /// Ends exchanges of whose answers the client has let nothing pass since then.
    func resetStuck(since: NIODeadline)

    /// Goes on with what waits behind an answer, after answers were written.
    func proceed()

    /// Whether it may be able to ``rest()``.
    var mayRest: Bool { get }

    /// Gives back the memory of a connection without calls, until more comes. False: not now.
    func rest() -> Bool
}

/// Tells a client of the end of its connection, also before its first request.
protocol HTTPGoingAway: AnyObject {
    /// Tells the client that the end comes, and asks whether it knows, which ``HTTPConnection/endIsKnown()`` hears. Requests that are under way are
    /// taken meanwhile. False: this version of HTTP has no way to say so.
    func announceEnd(_ reason: HTTPEndReason) -> Bool

    /// Tells the client to begin no more requests, and which were taken.
    func goAway(_ reason: HTTPEndReason)

    /// Hands what was written to the socket.
    func flush()
}
