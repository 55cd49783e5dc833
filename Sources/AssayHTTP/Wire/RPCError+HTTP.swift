import AssayAPI
import AssayCore
import AssayRPC

/// The errors that the front over HTTP adds to those of every front. Their reasons are never renamed.
extension RPCError {
    // MARK: Requests that are not read

    static let messageTooLarge = RPCError(
        .resourceExhausted, "the message is longer than the daemon takes", reason: "message_too_large")
    static let undecodableEnvelope = RPCError(
        .invalidArgument, "the body is not a sequence of whole messages, each with its flags and length",
        reason: "undecodable_envelope")
    static let undecodableText = RPCError(
        .invalidArgument, "the body is not Base64, as application/grpc-web-text demands", reason: "undecodable_text")
    static let unknownCompression = RPCError(
        .unimplemented, "a request is compressed by gzip, or not at all", reason: "unknown_compression")
    static let notGzip = RPCError(
        .invalidArgument, "the message is not what its compression, gzip, demands", reason: "not_gzip")
    static let badTimeout = RPCError(
        .invalidArgument,
        "a timeout is at most 8 digits and a unit in grpc-timeout, at most 10 digits in connect-timeout-ms",
        reason: "bad_timeout")

    // MARK: Calls that are not begun, or not answered

    static let notOneMessage = RPCError(
        .invalidArgument, "the method takes one message, and the body has none", reason: "not_one_message")
    static let tooManyMessages = RPCError(
        .invalidArgument, "the body has more messages than the method takes", reason: "too_many_messages")
    static let replyTooLarge = RPCError(
        .internalError, "the answer is longer than a message may be", reason: "reply_too_large")
}

extension RPCError {
    /// What a caller may do next.
    var retry: RetryClass { RetryClass(ofCallWith: code.description, reason: reason) }
}
