import Synchronization

/// The open connections of a server: how many there may be, and whom to tell that it stops.
final class ConnectionRoster: Sendable {
    /// What a new connection is to do.
    enum Welcome: Sendable {
        case serve
        case sendAway(GoAwayReason)
        /// There is not even room to say why.
        case drop
    }

    /// Connections beyond the limit that may be open at once while they are told so.
    static let spare = 256

    private struct State {
        var connections: [ObjectIdentifier: @Sendable (GoAwayReason) -> Void] = [:]
        var accepted = 0
        var isStopping = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.connections.count } }
    var accepted: Int { state.withLock { $0.accepted } }

    /// - Parameter sendAway: called from any thread when the server stops.
    func enter(_ id: ObjectIdentifier, _ sendAway: @escaping @Sendable (GoAwayReason) -> Void) -> Welcome {
        state.withLock { state in
            state.accepted += 1
            let count = state.connections.count
            guard count < limit + Self.spare else { return .drop }
            state.connections[id] = sendAway
            if state.isStopping { return .sendAway(.shuttingDown) }
            return count < limit ? .serve : .sendAway(.tooManyConnections)
        }
    }

    func leave(_ id: ObjectIdentifier) {
        let waiting = state.withLock { state in
            state.connections[id] = nil
            guard state.connections.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Tells every connection, those that come later too, to finish; returns when the last one has left.
    func empty() async {
        let connections = state.withLock { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        for sendAway in connections { sendAway(.shuttingDown) }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.connections.isEmpty { state.waiting.append(continuation) }
                return state.connections.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
