package import AssayRPC

/// The errors that framed RPC adds to those of every front. proto/README.md lists the server's reasons; none is ever renamed.
extension RPCError {
    // MARK: Answers of a server

    static let timeoutTooLong = RPCError(
        .invalidArgument, "timeout_ms has at most 32 bits", reason: "timeout_too_long")
    static let replyTooLarge = RPCError(.internalError, "the answer does not fit into a frame", reason: "reply_too_large")

    // MARK: Errors that a client makes itself

    static func connectFailed(_ why: String) -> RPCError { RPCError(.unavailable, why, reason: "connect_failed") }
    static let connectionLost = RPCError(
        .unavailable, "the connection ended before the answer came; whether the call was done is unknown",
        reason: "connection_lost")
    static func goAway(_ why: String) -> RPCError {
        RPCError(.unavailable, "the server said go away (\(why.prefix(64))); the call was not begun", reason: "goaway")
    }
    package static let connectionClosed = RPCError(.unavailable, "this connection was closed here", reason: "connection_closed")
    static let messageTooLarge = RPCError(
        .resourceExhausted, "the message does not fit into a frame", reason: "message_too_large")
    static let sendBufferFull = RPCError(
        .resourceExhausted, "the server does not take what was sent before", reason: "send_buffer_full")
    static let protocolBroken = RPCError(
        .unavailable, "the server sent what the protocol does not allow", reason: "protocol_broken")
    /// What it sent, such as pings, is answered, and it did not read the answers.
    package static let answersNotRead = RPCError(
        .unavailable, "the other side sent without reading what answers it; whether the call was done is unknown",
        reason: EndReason.answersNotRead)
    static let writeTimeout = RPCError(
        .unavailable, "the other side did not read what was sent to it; whether the call was done is unknown",
        reason: EndReason.writeTimeout)
    static let serverSpeaksTLS = RPCError(
        .unavailable, "the server speaks TLS: its address begins with tls:", reason: protocolBroken.reason)
    static let undecodableReply = RPCError(
        .internalError, "the answer is not what the method returns", reason: "undecodable_reply")
}

// MARK: What a client may do about an error

extension RPCError {
    private static let reasonsNotBegun: Set<String> = [
        goingAway.reason, tooManyCalls.reason, overloaded.reason, connectFailed("").reason, goAway("").reason,
        sendBufferFull.reason,
    ]

    private static let reasonsOfAnEnd: Set<String> = [
        connectionLost.reason, connectionClosed.reason, protocolBroken.reason, answersNotRead.reason, writeTimeout.reason,
    ]

    /// Whether the connection ended before the answer came.
    package var isOfAnEnd: Bool { Self.reasonsOfAnEnd.contains(reason) }

    /// Whether the call certainly reached no method, so that repeating it is safe whatever the method does.
    package var wasNotBegun: Bool { Self.reasonsNotBegun.contains(reason) }

    /// Whether the client itself is the cause, so that repeating the call changes nothing.
    package var isOfTheClient: Bool {
        reason == Self.connectionClosed.reason || reason == Self.messageTooLarge.reason
    }
}
