public import Foundation

/// Clock and chance, as parameters: tests have others.
public struct Timing: Sendable {
    /// The time of day. Dates in the store are compared with it.
    public var now: @Sendable () -> Date
    /// Waits before a call is repeated. Throws when the task is cancelled.
    public var pause: @Sendable (Duration) async throws -> Void
    /// Waits for the end of a time limit. Throws when the task is cancelled.
    public var limit: @Sendable (Duration) async throws -> Void
    /// A random number from 0 to 1.
    public var chance: @Sendable () -> Double

    public init(
        now: @escaping @Sendable () -> Date, pause: @escaping @Sendable (Duration) async throws -> Void,
        limit: @escaping @Sendable (Duration) async throws -> Void, chance: @escaping @Sendable () -> Double
    ) {
        (self.now, self.pause, self.limit, self.chance) = (now, pause, limit, chance)
    }

    public static let system = Timing(
        now: { Date() }, pause: { try await Task.sleep(for: $0) }, limit: { try await Task.sleep(for: $0) },
        chance: { Double.random(in: 0...1) })
}
