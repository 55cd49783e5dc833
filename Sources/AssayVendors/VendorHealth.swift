import AssayCore
import Logging
import Synchronization

/// What those who ask a vendor's service have seen of it, all together: it keeps them from a service that fails again and
/// again, and tells the log.
///
/// The log hears once that the service fails and what is wrong, once of each other thing that is wrong meanwhile, and once that
/// the service answers again. Whatever happens, it hears of one problem no more than once in `quiet`: a service that fails now
/// and then, or a client who brings a problem about at will, fills no log.
final class VendorHealth: Sendable {
    /// In milliseconds: ten minutes.
    static let quiet: Int64 = 600_000
    /// Problems that are told within `quiet`. Their texts hold what a vendor says, such as a status.
    static let problemLimit = 16

    private struct State {
        var breaker: CircuitBreaker
        /// What the log heard last of a failure, if it has not heard since that the service answers.
        var failure: String?
        /// What the log heard of not long ago, and when.
        var told: [String: Timestamp] = [:]
        var random: any RandomNumberGenerator & Sendable

        mutating func isNew(_ problem: String, at now: Timestamp) -> Bool {
            told = told.filter { (0..<VendorHealth.quiet).contains(now.milliseconds(since: $0.value)) }
            guard told[problem] == nil, told.count < VendorHealth.problemLimit else { return false }
            told[problem] = now
            return true
        }
    }

    /// What the log hears.
    struct Words: Sendable {
        let failing: String
        let answering: String
        /// Which service it is, for every line.
        let metadata: Logger.Metadata
    }

    private let words: Words
    private let clock: any WallClock
    private let logger: Logger
    private let state: Mutex<State>

    init(
        _ backoff: Backoff, _ words: Words, clock: any WallClock, logger: Logger,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        (self.words, self.clock, self.logger) = (words, clock, logger)
        state = Mutex(State(breaker: CircuitBreaker(backoff), random: random))
    }

    /// How many may ask at a time at `now`: any number, one to try, or nobody.
    func admits(at now: Timestamp) -> Int { state.withLock { $0.breaker.admits(at: now) } }

    /// Whether the service failed again and again, and has not answered since.
    func isFailing(at now: Timestamp) -> Bool { admits(at: now) < .max }

    /// Whether somebody who comes now may ask. Who is let in to try keeps the others out for a while.
    func admitsOne(at now: Timestamp) -> Bool {
        state.withLock { $0.breaker.admitsOne(at: now, using: &$0.random) }
    }

    /// The service answered.
    func succeeded() {
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
    ///   - begun: when the attempt was let in.
    ///   - asked: what the service asks for, in milliseconds.
    func failed(_ problem: String, begun: Timestamp, asked: Int64? = nil) {
        let now = clock.now()
        let isNew = state.withLock { state in
            state.breaker.failed(at: now, begun: begun, asked: asked, using: &state.random)
            guard state.failure != problem, state.isNew(problem, at: now) else { return false }
            state.failure = problem
            return true
        }
        if isNew { tell(problem) }
    }

    /// Tells of a problem that says nothing of the service, and so keeps nobody from it.
    func noticed(_ problem: String) {
        let now = clock.now()
        if state.withLock({ $0.isNew(problem, at: now) }) { tell(problem) }
    }

    private func tell(_ problem: String) {
        logger.error("\(words.failing)", metadata: words.metadata.merging(["problem": "\(problem)"]) { _, new in new })
    }
}
