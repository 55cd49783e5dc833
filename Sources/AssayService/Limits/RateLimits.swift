import AssayAPI
package import AssayCore
import AssayRPC

/// The rate limits of one configuration over the daemon's buckets.
///
/// Requests of callers, apps and addresses are charged when they are read, before any work. A device is named by evidence that is not
/// verified then: its bucket is looked at before the evidence is appraised, and charged when the verdict is to be accepted, so that evidence
/// that names another's device does not lock that device out.
package struct RateLimits: Sendable {
    /// A limit that has no token left.
    package struct Refusal: Error, Hashable, Sendable {
        package let limit: RateLimit
        package let rule: RateRule
        /// Until there is one, in microseconds.
        package let wait: Int64
    }

    private struct App: Sendable {
        let rates: AppRates
        /// Names the app in keys.
        let key: UInt64
    }

    package let buckets: RateBuckets
    private let caller: RateRule?
    private let apps: [AppID: App]
    private let counters: VerdictCounters

    /// What is charged at reading, in this order.
    private static let ofRequests: [RateLimit] = [.caller, .callerInApp, .app, .address]

    /// `nil` if nothing is limited.
    ///
    /// - Parameters:
    ///   - apps: the rates of each app of the configuration.
    ///   - counters: counts refusals.
    package init?(caller: RateRule?, apps: [AppID: AppRates], buckets: RateBuckets, counters: VerdictCounters) {
        guard caller != nil || apps.values.contains(where: { $0 != AppRates() }) else { return nil }
        (self.caller, self.buckets, self.counters) = (caller, buckets, counters)
        self.apps = Dictionary(
            apps.map { ($0.key, App(rates: $0.value, key: buckets.hash.of(KeyWord.app, $0.key.text).first)) },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: Requests

    /// Charges the caller, the app and the address with a request. If one of them has no token left, none is charged.
    ///
    /// - Parameter now: of ``RateBuckets/now()``.
    func charge(
        _ use: RateBuckets.Use, _ caller: Caller, _ app: AppID, _ address: SourceAddress?, at now: Int64
    ) -> Refusal? {
        for limit in Self.ofRequests {
            guard let (rule, key) = bucket(limit, use, caller, app, address),
                let wait = buckets.table(limit).take(key, rule, at: now)
            else { continue }
            giveBack(use, caller, app, address, before: limit)
            counters.rateLimited(limit, of: app)
            return Refusal(limit: limit, rule: rule, wait: wait)
        }
        return nil
    }

    /// Gives back what ``charge(_:_:_:_:at:)`` took for a request that is not counted.
    ///
    /// - Parameter limit: the first one that was not charged; `nil`: all were.
    func giveBack(
        _ use: RateBuckets.Use, _ caller: Caller, _ app: AppID, _ address: SourceAddress?, before limit: RateLimit? = nil
    ) {
        for charged in Self.ofRequests.prefix(while: { $0 != limit }) {
            guard let (rule, key) = bucket(charged, use, caller, app, address) else { continue }
            buckets.table(charged).giveBack(key, rule)
        }
    }

    /// Gives back what requests were charged at reading that are not counted: those whose verdict is given again, and those that the limit of
    /// their device refuses.
    func giveBackUncounted(_ requests: [AuthorizedRequest], _ answers: [Answer]) {
        for (request, answer) in zip(requests, answers) {
            switch answer {
            case .repeated, .failed(.rateLimited):
                giveBack(.verdicts, request.caller, request.request.app, request.request.sourceAddress)
            case .verdict, .completed, .reported, .failed, .abandoned: continue
            }
        }
    }

    /// The rule and the key of a limit, where it applies.
    private func bucket(
        _ limit: RateLimit, _ use: RateBuckets.Use, _ caller: Caller, _ id: AppID?, _ address: SourceAddress?
    ) -> (RateRule, BucketTable.Key)? {
        let (hash, app) = (buckets.hash, id.flatMap { apps[$0] })
        switch limit {
        case .caller: return self.caller.map { ($0, hash.of(KeyWord.caller | use.rawValue, caller.name)) }
        case .callerInApp:
            guard let app, let rule = app.rates.caller else { return nil }
            let name = hash.of(KeyWord.caller, caller.name)
            return (rule, hash.of(KeyWord.callerInApp | use.rawValue, app.key, name.first, name.second))
        case .app:
            guard let app, let rule = app.rates.app else { return nil }
            return (rule, hash.of(KeyWord.app | use.rawValue, app.key, 0, 0))
        case .address:
            guard let address, let app, let rule = app.rates.address else { return nil }
            return (rule, hash.of(KeyWord.address | use.rawValue, app.key, address.high, address.low))
        case .device: return nil
        }
    }

    // MARK: Devices

    /// Whether devices of the app are limited.
    func limitsDevices(of app: AppID) -> Bool { apps[app]?.rates.device != nil }

    /// Why a device gets no accepted verdict now, whatever its evidence; charges nothing.
    func refusal(of device: DeviceID, of app: AppID) -> Refusal? {
        guard let (rule, key) = bucket(of: device, app), let wait = buckets.table(.device).wait(key, rule, at: buckets.now())
        else { return nil }
        counters.rateLimited(.device, of: app)
        return Refusal(limit: .device, rule: rule, wait: wait)
    }

    /// Charges a device with a verdict that is to be accepted.
    package func charge(_ device: DeviceID, of app: AppID) -> Refusal? {
        guard let (rule, key) = bucket(of: device, app), let wait = buckets.table(.device).take(key, rule, at: buckets.now())
        else { return nil }
        counters.rateLimited(.device, of: app)
        return Refusal(limit: .device, rule: rule, wait: wait)
    }

    /// Gives back what ``charge(_:of:)`` took for a verdict that was not accepted after all.
    func giveBack(_ device: DeviceID, of app: AppID) {
        guard let (rule, key) = bucket(of: device, app) else { return }
        buckets.table(.device).giveBack(key, rule)
    }

    private func bucket(of device: DeviceID, _ id: AppID) -> (RateRule, BucketTable.Key)? {
        guard let app = apps[id], let rule = app.rates.device else { return nil }
        var words = (UInt64(0), UInt64(0))
        for (index, byte) in device.bytes.enumerated() {
            if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
        }
        return (rule, buckets.hash.of(KeyWord.device, app.key, words.0, words.1))
    }

    // MARK: Levels

    /// The level of one bucket.
    struct Level: Hashable, Sendable {
        let limit: RateLimit
        let use: RateBuckets.Use
        /// `nil`: over all apps.
        let app: AppID?
        let rule: RateRule
        /// Tokens that are left.
        let left: Int
        /// Until there is one, in microseconds; 0 where one is left.
        let wait: Int64
    }

    /// The levels of the buckets that a caller's requests for these apps draw from, addresses and devices left out.
    ///
    /// - Parameter searchable: those of the apps whose verdicts can be looked up.
    func levels(of caller: Caller, _ apps: [AppID], searchable: [AppID] = []) -> [Level] {
        let now = buckets.now()
        func level(_ limit: RateLimit, _ use: RateBuckets.Use, _ app: AppID?) -> Level? {
            guard let (rule, key) = bucket(limit, use, caller, app, nil) else { return nil }
            let missing = buckets.table(limit).missing(key, rule, at: now)
            let left = (rule.capacity - missing) / rule.interval
            return Level(
                limit: limit, use: use, app: app, rule: rule, left: Int(left),
                wait: left > 0 ? 0 : missing + rule.interval - rule.capacity)
        }
        return RateBuckets.Use.allCases.flatMap { use -> [Level] in
            let used = use == .lookups ? searchable : apps
            guard use != .lookups || !used.isEmpty else { return [] }
            return [level(.caller, use, nil)].compactMap(\.self)
                + used.flatMap { app in [level(.callerInApp, use, app), level(.app, use, app)].compactMap(\.self) }
        }
    }
}

/// The first words of keys: they tell kinds apart. The lowest byte is the use.
private enum KeyWord {
    static let caller: UInt64 = 0x100
    static let callerInApp: UInt64 = 0x200
    static let app: UInt64 = 0x300
    static let address: UInt64 = 0x400
    static let device: UInt64 = 0x500
}

extension RPCError {
    /// The stable word for a limit that is reached.
    static let rateLimited = "rate_limited"

    init(_ refusal: RateLimits.Refusal) {
        self.init(
            .resourceExhausted,
            "the limit \"\(refusal.limit.rawValue)\" is reached: \(refusal.rule); nothing was decided, try again in \((refusal.wait + 999_999) / 1_000_000) s",
            reason: Self.rateLimited,
            retryAfterMilliseconds: UInt32(clamping: max(1, (refusal.wait + 999) / 1000)))
    }
}
