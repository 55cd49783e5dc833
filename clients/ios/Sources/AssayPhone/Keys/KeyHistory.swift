import Foundation

/// When keys were made, so that no loop makes them: not in one call, and not over many starts of an app.
struct KeyHistory: Hashable, Codable {
    static let period: TimeInterval = 24 * 60 * 60

    /// The latest, oldest first.
    private var made: [Date] = []
    /// When the backend last asked for a registration in place of one that it had accepted.
    private var demanded: Date?

    /// How long until a key may be made; none: now.
    func waitForKey(at now: Date, limit: Int) -> Duration? {
        let recent = made.filter { Self.isRecent($0, now) }
        guard recent.count >= max(limit, 1), let oldest = recent.suffix(max(limit, 1)).first else { return nil }
        return Self.rest(of: oldest, now)
    }

    /// How long until the backend may demand another registration; none: now. Once in 24 hours (docs/start/act-on-a-verdict.md).
    func waitForDemand(at now: Date) -> Duration? {
        guard let demanded, Self.isRecent(demanded, now) else { return nil }
        return Self.rest(of: demanded, now)
    }

    mutating func makesKey(at now: Date, limit: Int) {
        made.append(now)
        made = made.suffix(max(limit, 1))
    }

    mutating func isDemanded(at now: Date) { demanded = now }

    /// A date that a clock wrote which was ahead counts for at most a period, too.
    private static func isRecent(_ date: Date, _ now: Date) -> Bool { abs(now.timeIntervalSince(date)) < period }

    private static func rest(of date: Date, _ now: Date) -> Duration {
        .seconds(min(max(period - now.timeIntervalSince(date), 0), period).rounded(.up))
    }
}
