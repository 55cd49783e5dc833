import AssayAPI
import AssayCore
import AssayRPC

/// The challenges for the calls of one batch. What they share is looked up once for all of them: it is shared among threads, and each look takes
/// its turn.
struct ChallengeIssuance {
    private let answering: Answering
    private let counters: VerdictCounters
    private let horizon: SpentHorizon
    /// Of ``Answering/chargingTime()``.
    private let chargingTime: Int64
    private let now: Timestamp
    /// `nil`: there is none.
    private let key: ChallengeKey?
    /// The most challenges that are made.
    private let calls: Int
    /// 16 bytes for each challenge that is not made yet; empty before the first one.
    private var random: ArraySlice<UInt8> = []
    /// Challenges that are not counted yet, all of one app and purpose.
    private var uncounted: (app: AppID, purpose: Purpose, count: UInt64)?

    /// - Parameter calls: those of the batch.
    init(
        of calls: Int, _ answering: Answering, _ keys: ChallengeKeys, _ counters: VerdictCounters, _ horizon: SpentHorizon,
        at now: Timestamp
    ) {
        (self.answering, self.counters, self.horizon, self.now) = (answering, counters, horizon, now)
        chargingTime = answering.chargingTime()
        key = keys.issuingKey(at: now)
        self.calls = calls
    }

    /// The serialised answer to one call.
    mutating func answer(_ call: AuthorizedCall) throws(RPCError) -> [UInt8] {
        let read: ChallengeFields?
        do throws(RequestError) { read = try ChallengeFields(serialized: call.message) } catch { throw RPCError(error) }
        guard let fields = read else { throw .undecodableMessage }
        try call.require(fields.purpose.role)
        let profile = try call.profile(of: fields.app)
        try answering.charge(.challenges, call.caller, fields.app, fields.address, at: chargingTime)
        guard let key else {
            throw RPCError(
                .unavailable, "there is no challenge key", reason: "challenge_keys_unavailable", retryAfterMilliseconds: 1000)
        }
        let timeToLive = fields.timeToLive == 0 ? profile.challenges.timeToLive : fields.timeToLive
        let expiry = now.adding(milliseconds: timeToLive)
        guard expiry > horizon.time else { throw .horizonAhead(horizon.time, of: expiry) }
        let challenge = key.issue(
            for: profile.challengeScope, purpose: fields.purpose, context: fields.context, expiry: expiry,
            random: takeRandom())
        count(fields.purpose, of: fields.app)
        return Assay_V1_IssueChallengeResponse.serialized(challenge, until: expiry)
    }

    private mutating func takeRandom() -> ArraySlice<UInt8> {
        if random.isEmpty { random = SecureRandom.bytes(calls * Challenge.randomLength)[...] }
        defer { random = random.dropFirst(Challenge.randomLength) }
        return random.prefix(Challenge.randomLength)
    }

    private mutating func count(_ purpose: Purpose, of app: AppID) {
        if let same = uncounted, same.app == app, same.purpose == purpose {
            uncounted?.count += 1
        } else {
            countRest()
            uncounted = (app, purpose, 1)
        }
    }

    /// Counts the challenges that were made. Call it before they are given.
    mutating func countRest() {
        guard let rest = uncounted else { return }
        counters.challengesIssued(rest.count, rest.purpose, of: rest.app)
        uncounted = nil
    }
}
