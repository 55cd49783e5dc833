/// How a call ended, other than well.
struct Status: Sendable {
    /// gRPC's numbers.
    enum Code: UInt64, Sendable {
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case resourceExhausted = 8
        case failedPrecondition = 9
        case unimplemented = 12
        case `internal` = 13
        case unavailable = 14
    }

    var code: UInt64
    var reason: String
    var message: String
    var retryAfterMilliseconds: UInt32 = 0

    init(_ code: Code, _ reason: String, _ message: String, retryAfterMilliseconds: UInt32 = 0) {
        self.code = code.rawValue
        self.reason = Text.bounded(reason, to: 64)
        self.message = Text.sentence(message)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// As it came.
    init() { (code, reason, message) = (0, "", "") }

    func isCode(_ code: Code) -> Bool { self.code == code.rawValue }
}
