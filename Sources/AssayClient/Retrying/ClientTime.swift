/// The clock and the random numbers of a client, which tests replace. Timeouts of the network are the connection's.
package struct ClientTime: Sendable {
    /// Since some instant in the past; monotonic.
    package var now: @Sendable () -> Duration
    /// Throws only when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 to 1.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        (self.now, self.sleep, self.chance) = (now, sleep, chance)
    }

    package static func real() -> ClientTime {
        let start = ContinuousClock.now
        return ClientTime(
            now: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            chance: { Double.random(in: 0...1) })
    }
}
