/// Why a vendor gave no answer: our surroundings failed, and nothing is said of any evidence. The sentences name the host and
/// nothing that was sent to it.
package enum VendorProblem: Error, Hashable, Sendable {
    /// As many calls are under way as may be.
    case busy
    /// The client was shut down.
    case closed
    /// Nobody listens there, or the way to it is barred.
    case unreachable(host: String, why: String)
    case timedOut(host: String, milliseconds: Int64)
    /// The server is not who it should be, or speaks no TLS that is good enough.
    case untrusted(host: String, why: String)
    case tooLarge(host: String, limit: Int)
    /// The connection ended inside the answer, or what came is no HTTP.
    case broken(host: String)
    case cancelled
    /// It answered, and not with what it was asked for.
    case refused(host: String, status: Int)
    /// What shows who asks could not be signed.
    case unsigned(host: String)
}

extension VendorProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .busy: "too many calls to vendors are under way"
        case .closed: "the daemon stops, and asks vendors no more"
        case .unreachable(let host, let why): "\(host) cannot be reached: \(why)"
        case .timedOut(let host, let milliseconds): "\(host) did not answer within \(milliseconds) ms"
        case .untrusted(let host, let why): "\(host) cannot be trusted: \(why)"
        case .tooLarge(let host, let limit): "\(host) answered with more than \(limit) bytes"
        case .broken(let host): "\(host) broke off in the middle of its answer"
        case .cancelled: "the call was given up"
        case .refused(let host, let status):
            (400..<429).contains(status)
                ? "\(host) does not serve who asks (status \(status))" : "\(host) has no answer now (status \(status))"
        case .unsigned(let host): "what \(host) is to be shown could not be signed"
        }
    }
}
