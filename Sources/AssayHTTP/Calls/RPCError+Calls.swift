import AssayRPC

/// What refuses a call for what its request is over HTTP. docs/reference/http.md lists the reasons; none is ever renamed.
extension RPCError {
    /// The form of a request does not fit the method that it calls.
    static func wrongForm(_ message: String) -> RPCError {
        RPCError(.unimplemented, message, reason: "wrong_form")
    }
    static let idempotencyKeyNotTaken = RPCError(
        .invalidArgument, "the method takes no Idempotency-Key: a second call would do more",
        reason: "idempotency_key_not_taken")
    static let twoIdempotencyKeys = RPCError(
        .invalidArgument, "the field Idempotency-Key and the request have different keys", reason: "two_idempotency_keys")
    static let forwardedHeadersDiffer = RPCError(
        .invalidArgument,
        "Forwarded and X-Forwarded-For name different clients: the proxy must remove the one that it does not write",
        reason: "forwarded_headers_differ")
    static let bodyTimeout = RPCError(
        .deadlineExceeded, "the request did not become whole in time", reason: "body_timeout")
    static let noSuchFile = RPCError(.notFound, "there is no such file", reason: "no_such_file")

    /// The status of an answer without an envelope: that of the code, but where HTTP has a status that says more.
    var httpStatus: Int { reason.utf8.elementsEqual(Self.bodyTimeout.reason.utf8) ? 408 : code.httpStatus }
}
