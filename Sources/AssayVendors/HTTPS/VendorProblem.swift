/// Why a vendor gave no answer: a failure of the surroundings that says nothing about evidence. The sentences name the host and
/// nothing of the request.
package enum VendorProblem: Error, Hashable, Sendable {
    /// The limit of calls in flight is reached.
    case busy
    /// The client was shut down.
    case closed
    /// No server listens there, or the network prevents the connection.
    case unreachable(host: String, why: String)
    case timedOut(host: String, milliseconds: Int64)
    /// The server's certificate is not trusted, or its TLS is too old.
    case untrusted(host: String, why: String)
    case tooLarge(host: String, limit: Int)
    /// The connection ended inside the answer, or the answer is not HTTP.
    case broken(host: String)
    case cancelled
    /// The service answered without the requested result.
    case refused(host: String, status: Int)
    /// The credentials could not be signed.
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
