import AssayRPC

/// Why a call has no answer: an error of the daemon, or of the connection. A rejection is a verdict and not an error.
public struct AssayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// gRPC's canonical codes. Raw values are gRPC's names of them.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        case cancelled = "CANCELLED"
        case unknown = "UNKNOWN"
        case invalidArgument = "INVALID_ARGUMENT"
        case deadlineExceeded = "DEADLINE_EXCEEDED"
        case notFound = "NOT_FOUND"
        case alreadyExists = "ALREADY_EXISTS"
        case permissionDenied = "PERMISSION_DENIED"
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        case failedPrecondition = "FAILED_PRECONDITION"
        case aborted = "ABORTED"
        case outOfRange = "OUT_OF_RANGE"
        case unimplemented = "UNIMPLEMENTED"
        case internalError = "INTERNAL"
        case unavailable = "UNAVAILABLE"
        case dataLoss = "DATA_LOSS"
        case unauthenticated = "UNAUTHENTICATED"
    }

    public let code: Code
    /// For people.
    public let message: String
    /// A stable word for machines, or empty.
    public let reason: String
    /// When trying again may help, in milliseconds from now.
    public let retryAfterMilliseconds: UInt32?

    /// The id of the request in the daemon's records, in hexadecimal: a daemon writes it behind its sentence about a request that it could
    /// not judge. Empty for other errors.
    public var requestID: String {
        let (head, tail) = (" (request ", ")")
        guard message.hasSuffix(tail), let start = message.dropLast().lastIndex(of: " ") else { return "" }
        let id = message[message.index(after: start)...].dropLast()
        guard message[...start].hasSuffix(head), id.utf8.count == 32, id.allSatisfy(\.isHexDigit) else { return "" }
        return String(id)
    }

    public init(_ code: Code, _ message: String, reason: String = "", retryAfterMilliseconds: UInt32? = nil) {
        (self.code, self.message, self.reason) = (code, message, reason)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    init(_ error: RPCError) {
        self.init(
            Code(error.code), error.message, reason: error.reason, retryAfterMilliseconds: error.retryAfterMilliseconds)
    }

    public var description: String {
        reason.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue) (\(reason)): \(message)"
    }
}

extension AssayError.Code {
    init(_ code: RPCStatusCode) {
        switch code {
        case .cancelled: self = .cancelled
        case .ok, .unknown: self = .unknown
        case .invalidArgument: self = .invalidArgument
        case .deadlineExceeded: self = .deadlineExceeded
        case .notFound: self = .notFound
        case .alreadyExists: self = .alreadyExists
        case .permissionDenied: self = .permissionDenied
        case .resourceExhausted: self = .resourceExhausted
        case .failedPrecondition: self = .failedPrecondition
        case .aborted: self = .aborted
        case .outOfRange: self = .outOfRange
        case .unimplemented: self = .unimplemented
        case .internalError: self = .internalError
        case .unavailable: self = .unavailable
        case .dataLoss: self = .dataLoss
        case .unauthenticated: self = .unauthenticated
        }
    }
}
