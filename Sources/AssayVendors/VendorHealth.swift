package import AssayCore
package import Logging
import Synchronization

/// The combined experience of all requests to a vendor's service: stops requests to a service that fails repeatedly, and writes
/// the log.
///
/// It logs once that the service fails and why, once each other problem meanwhile, and once that the service answers again. It
/// logs one problem at most once in `quiet`: neither a service that fails now and then nor a client that causes a problem at
/// will fills the log.
package final class VendorHealth: Sendable {
    /// In milliseconds: ten minutes.
    static let quiet: Int64 = 600_000
    /// The most problems logged within `quiet`. Their texts contain parts of the vendor's answer, such as a status.
    static let problemLimit = 16

    private struct State {
        var breaker: CircuitBreaker
        /// The last logged failure, if no recovery was logged since.
        var failure: String?
        /// The recently logged problems, each with its time.
        var told: [String: Timestamp] = [:]
        var random: any RandomNumberGenerator & Sendable

        mutating func isNew(_ problem: String, at now: Timestamp) -> Bool {
            told = told.filter { (0..<VendorHealth.quiet).contains(now.milliseconds(since: $0.value)) }
            guard told[problem] == nil, told.count < VendorHealth.problemLimit else { return false }
            told[problem] = now
            return true
        }
    }

    /// The log messages.
    package struct Words: Sendable {
        let failing: String
        let answering: String
        /// Identifies the service in every line.
        let metadata: Logger.Metadata

        package init(failing: String, answering: String, metadata: Logger.Metadata) {
            (self.failing, self.answering, self.metadata) = (failing, answering, metadata)
        }
    }

    private let words: Words
    private let clock: any WallClock
    private let logger: Logger
    private let state: Mutex<State>

    package init(
        _ backoff: Backoff, _ words: Words, clock: any WallClock, logger: Logger,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        (self.words, self.clock, self.logger) = (words, clock, logger)
        state = Mutex(State(breaker: CircuitBreaker(backoff), random: random))
    }

    /// How many requests may be made at `now`: any number, one attempt, or none.
    package func admits(at now: Timestamp) -> Int { state.withLock { $0.breaker.admits(at: now) } }

    /// Whether the service failed repeatedly and has not answered since.
    package func isFailing(at now: Timestamp) -> Bool { admits(at: now) < .max }

    /// The same, by the clock of the service's client.
    package var isFailing: Bool { isFailing(at: clock.now()) }

    /// Whether a request may be made now. An admitted attempt stops all others for a while.
    package func admitsOne(at now: Timestamp) -> Bool {
        state.withLock { $0.breaker.admitsOne(at: now, using: &$0.random) }
    }

    /// The service answered.
    package func succeeded() {
        let ended = state.withLock { state in
            state.breaker.succeeded()
            defer { state.failure = nil }
            return state.failure != nil
        }
        if ended { logger.notice("\(words.answering)", metadata: words.metadata) }
    }

    /// Counts a failure of the service.
    ///
    /// - Parameters:
    ///   - begun: when the attempt was admitted.
    ///   - asked: the wait that the service asks for, in milliseconds.
    package func failed(_ problem: String, begun: Timestamp, asked: Int64? = nil) {
        let now = clock.now()
        let isNew = state.withLock { state in
            state.breaker.failed(at: now, begun: begun, asked: asked, using: &state.random)
            guard state.failure != problem, state.isNew(problem, at: now) else { return false }
            state.failure = problem
            return true
        }
        if isNew { tell(problem) }
    }

    /// Logs a problem that is not a failure of the service and stops no requests.
    package func noticed(_ problem: String) {
        let now = clock.now()
        if state.withLock({ $0.isNew(problem, at: now) }) { tell(problem) }
    }

    private func tell(_ problem: String) {
        logger.error("\(words.failing)", metadata: words.metadata.merging(["problem": "\(problem)"]) { _, new in new })
    }
}
