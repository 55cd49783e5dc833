import Synchronization

/// The open connections of the operations address, a bounded number of them. A new one beyond the limit ends the oldest: an honest
/// request takes milliseconds, so when the limit is reached, the oldest connection is one that waits.
final class OperationsConnections: Sendable {
    fileprivate struct State {
        /// The closure that ends each connection, by number. Numbers ascend in the order of the beginnings.
        var open: [UInt64: @Sendable () -> Void] = [:]
        /// No open connection has a lower number.
        var oldest: UInt64 = 0
        var next: UInt64 = 0
        var isStopping = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.open.count } }

    /// Begins a connection, and returns its number for `end(_:)`; `nil` after the stop.
    ///
    /// - Parameter end: ends the connection. Called from any thread, possibly after it has ended.
    func begin(_ end: @escaping @Sendable () -> Void) -> UInt64? {
        let (number, displaced) = state.withLock { state -> (UInt64?, (@Sendable () -> Void)?) in
            guard !state.isStopping else { return (nil, nil) }
            let number = state.next
            state.next += 1
            state.open[number] = end
            var displaced: (@Sendable () -> Void)?
            while state.open.count > limit {
                displaced = state.open.removeValue(forKey: state.oldest) ?? displaced
                state.oldest += 1
            }
            return (number, displaced)
        }
        displaced?()
        return number
    }

    func end(_ number: UInt64) {
        let waiting = state.withLock { state in
            state.open[number] = nil
            return state.takeWaiting()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends all connections, and admits no more.
    func endAll() {
        let open = state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
        for end in open { end() }
    }

    /// Returns when the last one has ended.
    func empty() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.waiting.append(continuation)
                return state.takeWaiting()
            }
            for continuation in waiting { continuation.resume() }
        }
    }
}

extension OperationsConnections.State {
    fileprivate mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        guard open.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
