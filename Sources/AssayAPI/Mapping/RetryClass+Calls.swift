package import AssayCore

extension RetryClass {
    /// What a caller may do next where a call came to nothing: by the code of its error, but for reasons that no later try removes.
    ///
    /// - Parameters:
    ///   - code: gRPC's name of it, such as `UNAVAILABLE`. Of a name that is not known only an operator can say more.
    ///   - reason: the stable word of the error, or none.
    package init(ofCallWith code: String, reason: String) {
        switch reason {
        case "message_too_large", "unknown_compression": self = .never
        default: self = UploadRefusal.Code(rawValue: reason)?.retry ?? Self.byCode[code] ?? .contactOperator
        }
    }

    /// OK is no error; one that has it by mistake is answered better later.
    private static let byCode: [String: RetryClass] = [
        "OK": .later, "UNAVAILABLE": .later, "RESOURCE_EXHAUSTED": .later, "DEADLINE_EXCEEDED": .later, "ABORTED": .later,
        "CANCELLED": .later, "UNKNOWN": .later,
        "PERMISSION_DENIED": .contactOperator, "UNAUTHENTICATED": .contactOperator, "FAILED_PRECONDITION": .contactOperator,
        "UNIMPLEMENTED": .contactOperator, "INTERNAL": .contactOperator, "DATA_LOSS": .contactOperator,
        "INVALID_ARGUMENT": .never, "NOT_FOUND": .never, "ALREADY_EXISTS": .never, "OUT_OF_RANGE": .never,
    ]
}
