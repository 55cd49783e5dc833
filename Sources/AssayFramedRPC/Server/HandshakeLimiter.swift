import Synchronization

/// Bounds the TLS handshakes of a server that are in progress.
///
/// A new handshake beyond the limit ends the oldest one. An honest handshake takes milliseconds; when the limit is reached, the
/// oldest is one that its peer does not finish. If the newest were refused instead, such peers would keep all others out.
final class HandshakeLimiter: Sendable {
    private struct State {
        /// The closure that ends each handshake, by number. Numbers ascend in the order of the beginnings.
        var underWay: [UInt64: @Sendable () -> Void] = [:]
        /// No handshake with a lower number is in progress.
        var oldest: UInt64 = 0
        var next: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var underWay: Int { state.withLock { $0.underWay.count } }

    /// Begins a handshake, and returns its number for ``end(_:)``.
    ///
    /// - Parameter giveWay: ends the handshake in favour of a newer one. Called from any thread, at most once, possibly after the
    ///   handshake has ended.
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
