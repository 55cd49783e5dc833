/// The errors of calls that every front gives alike. proto/README.md lists their reasons, which are never renamed.
extension RPCError {
    package static func unknownMethod(_ method: String) -> RPCError {
        RPCError(.unimplemented, "there is no method \(method.prefix(200))", reason: "unknown_method")
    }
    package static let tooMuchMetadata = RPCError(
        .invalidArgument, "a call carries at most 32 metadata entries", reason: "too_much_metadata")
    package static let undecodableMessage = RPCError(
        .invalidArgument, "the message is not what the method takes", reason: "undecodable_message")
    package static let tooManyCalls = RPCError(
        .resourceExhausted, "this connection has as many calls in flight as it may have", reason: "too_many_calls")
    package static let tooManyCallsOfTheCaller = RPCError(
        .resourceExhausted, "the caller has as many calls in flight as it may have, over all its connections",
        reason: tooManyCalls.reason, retryAfterMilliseconds: 250)
    package static let overloaded = RPCError(
        .resourceExhausted, "the daemon has as much in flight as it can hold", reason: "overloaded", retryAfterMilliseconds: 250
    )
    package static let goingAway = RPCError(
        .unavailable, "the server accepts no more calls on this connection; the call was not begun", reason: "going_away")
    package static let drained = RPCError(
        .unavailable, "the connection ended before the call was finished", reason: "shutting_down")
    package static let cancelled = RPCError(.cancelled, "the call was cancelled", reason: "cancelled")
    package static let deadlineExceeded = RPCError(.deadlineExceeded, "the deadline passed", reason: "deadline_exceeded")
    package static let unanswered = RPCError(.internalError, "the method returned without an answer", reason: "unanswered")
    package static let unserialisable = RPCError(
        .internalError, "the answer cannot be serialised", reason: "unserialisable_message")
}
