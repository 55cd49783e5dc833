/// The error of a call: the other side's answer, or a failure on the way.
///
/// `reason` is the contract for machines: a stable lower-case word, or empty. `message` is for people and never parsed.
package struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One reference: a function that may fail returns its value and its error in the same place, and answers are copied often.
    private let content: Content

    package init(
        _ code: RPCStatusCode, _ message: String, reason: String = "", retryAfterMilliseconds: UInt32? = nil,
        cause: String = ""
    ) {
        content = Content(code, message, reason, retryAfterMilliseconds, cause)
    }

    package var code: RPCStatusCode { content.code }
    package var message: String { content.message }
    package var reason: String { content.reason }
    /// The time after which another try may help, in milliseconds. The wire does not distinguish zero from absent.
    package var retryAfterMilliseconds: UInt32? { content.retryAfterMilliseconds }
    /// For the operator's log; never sent.
    package var cause: String { content.cause }

    private final class Content: Hashable, Sendable {
        let code: RPCStatusCode
        let message: String
        let reason: String
        let retryAfterMilliseconds: UInt32?
        let cause: String

        init(_ code: RPCStatusCode, _ message: String, _ reason: String, _ retryAfterMilliseconds: UInt32?, _ cause: String) {
            (self.code, self.message, self.reason) = (code, message, reason)
            (self.retryAfterMilliseconds, self.cause) = (retryAfterMilliseconds, cause)
        }

        static func == (a: Content, b: Content) -> Bool {
            (a.code, a.message, a.reason, a.retryAfterMilliseconds, a.cause)
                == (b.code, b.message, b.reason, b.retryAfterMilliseconds, b.cause)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(code)
            hasher.combine(message)
            hasher.combine(reason)
            hasher.combine(retryAfterMilliseconds)
            hasher.combine(cause)
        }
    }

    package var description: String {
        reason.isEmpty ? "\(code): \(message)" : "\(code) (\(reason)): \(message)"
    }
}

/// The errors of calls that every front gives alike. proto/README.md lists their reasons, which are never renamed.
extension RPCError {
    package static func unknownMethod(_ method: String) -> RPCError {
        RPCError(.unimplemented, "there is no method \(method.prefix(200))", reason: "unknown_method")
    }
    package static let tooMuchMetadata = RPCError(
        .invalidArgument, "a call carries at most 32 metadata entries", reason: "too_much_metadata")
    package static let undecodableMessage = RPCError(
        .invalidArgument, "the message is not what the method takes", reason: "undecodable_message")
    package static let credentialRefused = RPCError(
        .unauthenticated, "the credential of the call is not known here, or no longer valid", reason: "credential_refused")
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
        .internalError, "the message cannot be serialised", reason: "unserialisable_message")
}

/// How a call ended: gRPC's canonical codes and numbers. A number that is not listed is read as ``unknown``.
package enum RPCStatusCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case internalError = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16
}

extension RPCStatusCode: CustomStringConvertible {
    /// gRPC's name of the code, the only spelling in errors, logs, documents and clients.
    package var description: String {
        switch self {
        case .ok: "OK"
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internalError: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }
}
