/// How often something may happen: a token bucket that holds `burst` tokens and gets `count` new ones in each period, evenly.
package struct RateRule: Hashable, Sendable {
    package enum Period: String, CaseIterable, Hashable, Sendable {
        case second = "s"
        case minute = "m"
        case hour = "h"
        case day = "d"

        /// In microseconds.
        var length: Int64 {
            switch self {
            case .second: 1_000_000
            case .minute: 60_000_000
            case .hour: 3_600_000_000
            case .day: 86_400_000_000
            }
        }
    }

    /// The highest count and the highest burst.
    package static let numberLimit = 1_000_000
    /// The shortest time between two tokens, in microseconds: 10,000 a second.
    private static let shortestInterval: Int64 = 100

    package let count: Int
    package let period: Period
    package let burst: Int
    /// The time in which the bucket gets a token, in microseconds. Rounded up, so that it never gets more than `count` in a period.
    package let interval: Int64

    /// The time in which an empty bucket is full, in microseconds. At most 2^57, since `interval` is at most a day.
    package var capacity: Int64 { interval * Int64(burst) }

    /// - Parameters:
    ///   - burst: `nil`: as many as `count`.
    /// - Returns: `nil` for numbers beyond the limits.
    package init?(_ count: Int, per period: Period, burst: Int? = nil) {
        let burst = burst ?? count
        guard (1...Self.numberLimit).contains(count), (1...Self.numberLimit).contains(burst),
            period.length / Int64(count) >= Self.shortestInterval
        else { return nil }
        let interval = (period.length + Int64(count) - 1) / Int64(count)
        (self.count, self.period, self.burst, self.interval) = (count, period, burst, interval)
    }
}

extension RateRule: CustomStringConvertible {
    /// `10/h`, or `100/h burst 20`: the form that ``init(_:)`` reads.
    package var description: String { "\(count)/\(period.rawValue)" + (burst == count ? "" : " burst \(burst)") }

    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let rate = words.first?.split(separator: "/", omittingEmptySubsequences: false), rate.count == 2,
            let count = rate.first.flatMap(Self.number), let period = rate.last.flatMap({ Period(rawValue: String($0)) })
        else { return nil }
        switch words.count {
        case 1: self.init(count, per: period)
        case 3:
            guard words.dropFirst().first == "burst", let burst = words.last.flatMap(Self.number) else { return nil }
            self.init(count, per: period, burst: burst)
        default: return nil
        }
    }

    /// Decimal digits only.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// What a rate is limited of. Raw values are in answers, in the status and in metrics, and are never renamed.
package enum RateLimit: String, CaseIterable, Hashable, Sendable {
    /// Requests of each caller, over all its apps.
    case caller
    /// Requests of each caller for an app.
    case callerInApp = "caller_in_app"
    /// Requests for an app, of all callers together.
    case app
    /// Requests for an app from each source address that callers pass on.
    case address
    /// Accepted verdicts of each device.
    case device
}

/// The rates of one app, or the defaults of all. `nil`: not limited.
package struct AppRates: Hashable, Sendable {
    package var caller: RateRule?
    package var app: RateRule?
    package var address: RateRule?
    package var device: RateRule?

    package init(caller: RateRule? = nil, app: RateRule? = nil, address: RateRule? = nil, device: RateRule? = nil) {
        (self.caller, self.app, self.address, self.device) = (caller, app, address, device)
    }
}

/// The rates of a configuration. Nothing is limited by default.
package struct RateRules: Hashable, Sendable {
    /// Of each caller, over all its apps.
    package var caller: RateRule?
    /// Of each app that sets nothing else.
    package var defaults = AppRates()

    package init(caller: RateRule? = nil, defaults: AppRates = AppRates()) {
        (self.caller, self.defaults) = (caller, defaults)
    }
}
