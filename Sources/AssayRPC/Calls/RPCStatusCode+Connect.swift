/// The Connect protocol, "Error codes": names, and the HTTP status of an answer without an envelope.
extension RPCStatusCode {
    /// Connect has no name for OK. An error that has it by mistake stays an error.
    package var connectName: String {
        switch self {
        case .cancelled: "canceled"
        case .ok, .unknown: "unknown"
        case .invalidArgument: "invalid_argument"
        case .deadlineExceeded: "deadline_exceeded"
        case .notFound: "not_found"
        case .alreadyExists: "already_exists"
        case .permissionDenied: "permission_denied"
        case .resourceExhausted: "resource_exhausted"
        case .failedPrecondition: "failed_precondition"
        case .aborted: "aborted"
        case .outOfRange: "out_of_range"
        case .unimplemented: "unimplemented"
        case .internalError: "internal"
        case .unavailable: "unavailable"
        case .dataLoss: "data_loss"
        case .unauthenticated: "unauthenticated"
        }
    }

    package var httpStatus: Int {
        switch self {
        case .ok: 200
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .cancelled: 499
        case .unknown, .internalError, .dataLoss: 500
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        }
    }

    /// The code of an error by its name in Connect; `nil` for any other text.
    package init?(connectName name: String) {
        guard let code = Self.allCases.first(where: { $0 != .ok && $0.connectName.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = code
    }
}
