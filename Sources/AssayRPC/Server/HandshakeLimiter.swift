import Synchronization

/// The handshakes of a server, and how many there may be at once.
///
/// Whoever comes when there are as many as may be takes the place of the oldest. An honest handshake takes milliseconds; the oldest
/// of a crowd is one that somebody began in order not to end it. Were the newcomer sent away instead, that crowd would keep
/// everybody out.
final class HandshakeLimiter: Sendable {
    private struct State {
        /// By number, in the order of their beginning: what ends each of them.
        var underWay: [UInt64: @Sendable () -> Void] = [:]
        /// No number below is under way.
        var oldest: UInt64 = 0
        var next: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var underWay: Int { state.withLock { $0.underWay.count } }

    /// Begins a handshake, and returns its number for ``end(_:)``.
    ///
    /// - Parameter giveWay: ends it when others need its place. Called from any thread, at most once, and maybe when it is over.
    func begin(_ giveWay: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, displaced) = state.withLock { state in
            let number = state.next
            state.next += 1
            state.underWay[number] = giveWay
            var displaced: (@Sendable () -> Void)?
            while state.underWay.count > limit {
                displaced = state.underWay.removeValue(forKey: state.oldest)
                state.oldest += 1
            }
            return (number, displaced)
        }
        displaced?()
        return number
    }

    func end(_ number: UInt64) { state.withLock { $0.underWay[number] = nil } }
}
