/// The errors that a client makes itself, over any transport. Their reasons are never renamed.
extension RPCError {
    package static func connectFailed(_ why: String) -> RPCError { RPCError(.unavailable, why, reason: "connect_failed") }
    package static let connectionLost = RPCError(
        .unavailable, "the connection ended before the answer came; whether the call was done is unknown",
        reason: "connection_lost")
    package static let connectionClosed = RPCError(.unavailable, "this connection was closed here", reason: "connection_closed")
    package static let protocolBroken = RPCError(
        .unavailable, "the server sent what the protocol does not allow", reason: "protocol_broken")
    package static let undecodableReply = RPCError(
        .internalError, "the answer is not what the method returns", reason: "undecodable_reply")
}

// MARK: What a client may do about an error

extension RPCError {
    /// Reasons of the errors that one transport alone makes, where they decide about a repetition.
    package enum ClientReason {
        package static let goAway = "goaway"
        package static let sendBufferFull = "send_buffer_full"
        package static let messageTooLarge = "message_too_large"
    }

    private static let reasonsNotBegun: Set<String> = [
        goingAway.reason, tooManyCalls.reason, overloaded.reason, connectFailed("").reason, ClientReason.goAway,
        ClientReason.sendBufferFull,
    ]

    /// Whether the call certainly reached no method, so that repeating it is safe whatever the method does.
    package var wasNotBegun: Bool { Self.reasonsNotBegun.contains(reason) }

    /// Whether the client itself is the cause, so that repeating the call changes nothing.
    package var isOfTheClient: Bool {
        reason == Self.connectionClosed.reason || reason == ClientReason.messageTooLarge
    }
}
