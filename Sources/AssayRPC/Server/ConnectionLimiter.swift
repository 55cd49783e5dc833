import Synchronization

/// The open connections of a server: how many there may be, and whom to tell that it stops.
///
/// The last sixteenth of the places is kept for peers that have few connections, so that no one of them, whatever it is
/// allowed to call, keeps all others out.
final class ConnectionLimiter: Sendable {
    /// What a new connection is to do.
    enum Welcome: Sendable {
        case serve
        case sendAway(GoAwayReason)
        /// There is not even room to say why.
        case drop
    }

    /// Connections that may be open at once only to be told that they cannot be served.
    static let spare = 256
    /// So many connections of one peer are few.
    static let few = 64
    /// The part of all places that is kept for those who have few.
    private static let keptPart = 16

    private struct Entry {
        let peer: PeerIdentity
        let isServed: Bool
        let sendAway: @Sendable (GoAwayReason) -> Void
    }

    private struct State {
        var connections: [ObjectIdentifier: Entry] = [:]
        /// How many of them are served, of all peers and of each.
        var served = 0
        var servedByPeer: [PeerIdentity: Int] = [:]
        var accepted = 0
        var isStopping = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func count(_ entry: Entry, by step: Int) {
            guard entry.isServed else { return }
            served += step
            let own = servedByPeer[entry.peer, default: 0] + step
            servedByPeer[entry.peer] = own > 0 ? own : nil
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.connections.count } }
    var accepted: Int { state.withLock { $0.accepted } }

    /// - Parameter sendAway: called from any thread when the server stops.
    func enter(
        _ id: ObjectIdentifier, of peer: PeerIdentity, _ sendAway: @escaping @Sendable (GoAwayReason) -> Void
    ) -> Welcome {
        state.withLock { state in
            state.accepted += 1
            let hasFew = state.servedByPeer[peer, default: 0] < Self.few
            let places = hasFew ? limit : limit - limit / Self.keptPart
            let isServed = !state.isStopping && state.served < places
            guard isServed || state.connections.count - state.served < Self.spare else { return .drop }
            let entry = Entry(peer: peer, isServed: isServed, sendAway: sendAway)
            state.connections[id] = entry
            state.count(entry, by: 1)
            if isServed { return .serve }
            return .sendAway(state.isStopping ? .shuttingDown : .tooManyConnections)
        }
    }

    func leave(_ id: ObjectIdentifier) {
        let waiting = state.withLock { state in
            if let entry = state.connections.removeValue(forKey: id) { state.count(entry, by: -1) }
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
        for connection in connections { connection.sendAway(.shuttingDown) }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.connections.isEmpty { state.waiting.append(continuation) }
                return state.connections.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
