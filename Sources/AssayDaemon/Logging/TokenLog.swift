import Logging
import Synchronization

/// Logs when a PKCS#11 token of CAs, or of keys of results, cannot be used, why, and when it can be used again. One outage logs each reason once.
final class TokenLog: Sendable {
    /// Reasons of one outage that are remembered; further ones are not logged.
    private static let limit = 16

    private let token: String
    private let logger: Logger
    private let reasons = Mutex<Set<String>>([])

    /// - Parameter token: the label of the token.
    init(_ token: String, logger: Logger) { (self.token, self.logger) = (token, logger) }

    /// - Parameter problem: what keeps the token from being used, in a sentence; `nil`: it can be used.
    func changed(_ problem: String?) {
        guard let problem else {
            reasons.withLock { $0 = [] }
            return logger.notice("a token with keys can be used", metadata: ["token": "\(token)"])
        }
        let isNew = reasons.withLock { $0.count < Self.limit && $0.insert(problem).inserted }
        guard isNew else { return }
        logger.warning(
            "a token with keys cannot be used; they sign nothing until it is back",
            metadata: ["token": "\(token)", "error": "\(problem)"])
    }
}
