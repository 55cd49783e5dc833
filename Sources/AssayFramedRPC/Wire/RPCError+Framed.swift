package import AssayRPC

/// The errors that framed RPC adds to those of every front. proto/README.md lists the server's reasons; none is ever renamed.
extension RPCError {
    // MARK: Answers of a server

    static let timeoutTooLong = RPCError(
        .invalidArgument, "timeout_ms has at most 32 bits", reason: "timeout_too_long")
    static let replyTooLarge = RPCError(.internalError, "the answer does not fit into a frame", reason: "reply_too_large")

    // MARK: Errors that a client makes itself, beside those of every transport

    static func goAway(_ why: String) -> RPCError {
        RPCError(
            .unavailable, "the server said go away (\(why.prefix(64))); the call was not begun", reason: ClientReason.goAway)
    }
    static let messageTooLarge = RPCError(
        .resourceExhausted, "the message does not fit into a frame", reason: ClientReason.messageTooLarge)
    static let sendBufferFull = RPCError(
        .resourceExhausted, "the server does not take what was sent before", reason: ClientReason.sendBufferFull)
    /// What it sent, such as pings, is answered, and it did not read the answers.
    package static let answersNotRead = RPCError(
        .unavailable, "the other side sent without reading what answers it; whether the call was done is unknown",
        reason: EndReason.answersNotRead)
    static let writeTimeout = RPCError(
        .unavailable, "the other side did not read what was sent to it; whether the call was done is unknown",
        reason: EndReason.writeTimeout)
    static let serverSpeaksTLS = RPCError(
        .unavailable, "the server speaks TLS: its address begins with tls:", reason: protocolBroken.reason)
}

extension RPCError {
    private static let reasonsOfAnEnd: Set<String> = [
        connectionLost.reason, connectionClosed.reason, protocolBroken.reason, answersNotRead.reason, writeTimeout.reason,
    ]

    /// Whether the connection ended before the answer came.
    package var isOfAnEnd: Bool { Self.reasonsOfAnEnd.contains(reason) }
}
