/// The errors that the protocol itself makes. Their reasons are listed in proto/README.md and are never renamed.
extension RPCError {
    // MARK: Answers of a server

    static func unknownMethod(_ method: String) -> RPCError {
        RPCError(.unimplemented, "there is no method \(method.prefix(200))", reason: "unknown_method")
    }
    static let tooMuchMetadata = RPCError(
        .invalidArgument, "a call carries at most 32 metadata entries", reason: "too_much_metadata")
    static let timeoutTooLong = RPCError(
        .invalidArgument, "timeout_ms has at most 32 bits", reason: "timeout_too_long")
    package static let undecodableMessage = RPCError(
        .invalidArgument, "the message is not what the method takes", reason: "undecodable_message")
    static let tooManyCalls = RPCError(
        .resourceExhausted, "this connection has as many calls in flight as it may have", reason: "too_many_calls")
    static let tooManyCallsOfTheCaller = RPCError(
        .resourceExhausted, "the caller has as many calls in flight as it may have, over all its connections",
        reason: tooManyCalls.reason, retryAfterMilliseconds: 250)
    static let overloaded = RPCError(
        .resourceExhausted, "the daemon has as much in flight as it can hold", reason: "overloaded", retryAfterMilliseconds: 250
    )
    static let goingAway = RPCError(
        .unavailable, "the server accepts no more calls on this connection; the call was not begun", reason: "going_away")
    static let drained = RPCError(
        .unavailable, "the connection ended before the call was finished", reason: "shutting_down")
    package static let cancelled = RPCError(.cancelled, "the call was cancelled", reason: "cancelled")
    package static let deadlineExceeded = RPCError(.deadlineExceeded, "the deadline passed", reason: "deadline_exceeded")
    static let unanswered = RPCError(.internalError, "the method returned without an answer", reason: "unanswered")
    static let replyTooLarge = RPCError(.internalError, "the answer does not fit into a frame", reason: "reply_too_large")
    static let unserialisable = RPCError(.internalError, "the answer cannot be serialised", reason: "unserialisable_message")

    // MARK: What a client finds out by itself

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
    static let serverSpeaksTLS = RPCError(
        .unavailable, "the server speaks TLS: its address begins with tls:", reason: protocolBroken.reason)
    static let undecodableReply = RPCError(
        .internalError, "the answer is not what the method returns", reason: "undecodable_reply")
}

// MARK: What a client may do about it

extension RPCError {
    private static let reasonsNotBegun: Set<String> = [
        goingAway.reason, tooManyCalls.reason, overloaded.reason, connectFailed("").reason, goAway("").reason,
        sendBufferFull.reason,
    ]

    /// Whether the call certainly did not reach a method, so that it may be repeated whatever it does.
    package var wasNotBegun: Bool { Self.reasonsNotBegun.contains(reason) }

    /// Whether the client itself stands in the way, so that repeating the call changes nothing.
    package var isOfTheClient: Bool {
        reason == Self.connectionClosed.reason || reason == Self.messageTooLarge.reason
    }
}
