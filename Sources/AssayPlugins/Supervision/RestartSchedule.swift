/// When processes of a plugin may be started: the back-off after each death, and the circuit breaker after many.
struct RestartSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Breaker: Hashable, Sendable {
        case closed
        /// Nothing is started until then.
        case open(until: Instant)
        /// One process is tried with one call.
        case halfOpen
    }

    private let rules: PluginEntry.Restart
    private(set) var breaker = Breaker.closed
    /// No process starts before.
    private(set) var notBefore: Instant?
    private var inARow = 0
    private var deaths: [Instant] = []

    init(_ rules: PluginEntry.Restart) { self.rules = rules }

    var openFor: Duration { rules.openFor }

    /// Notes the death of a process.
    ///
    /// - Parameter random: from -1 to 1.
    mutating func died(at now: Instant, random: Double) {
        if let last = deaths.last, now - last >= rules.healthyAfter { inARow = 0 }
        inARow += 1
        deaths = (deaths.filter { now - $0 < rules.window } + [now]).suffix(max(rules.deaths, 1))
        if breaker == .halfOpen || deaths.count >= max(rules.deaths, 1) {
            breaker = .open(until: now + rules.openFor)
            notBefore = nil
        } else {
            notBefore = now + delay * (1 + rules.jitter * random)
        }
    }

    private var delay: Duration {
        var delay = rules.firstDelay
        for _ in 1..<max(inARow, 1) where delay < rules.longestDelay { delay *= 2 }
        return min(delay, rules.longestDelay)
    }

    /// The time of an open breaker is over: one process may be tried.
    mutating func halfOpen() { breaker = .halfOpen }

    /// The plugin answered: a breaker that is half open closes. Returns whether it did.
    mutating func answered() -> Bool {
        guard breaker == .halfOpen else { return false }
        reset()
        return true
    }

    /// Forgets all deaths.
    mutating func reset() { self = RestartSchedule(rules) }
}
