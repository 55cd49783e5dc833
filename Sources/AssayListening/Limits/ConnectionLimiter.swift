import AssayRPC
import Synchronization

/// Bounds the open connections of a server, and tells them when the server stops.
///
/// Where all places are taken, a connection from which nothing has come gives its place up (``ConnectionPlaces``). The last sixteenth of the places is reserved for peers with few connections, so that one peer cannot keep the others out,
/// with any rights.
final class ConnectionLimiter: Sendable {
    /// Connections that may be open at once only to be told why they are not served.
    static let spare = 256
    /// A peer with fewer connections than this may use the reserved places.
    static let few = 64
    /// One place in this many is reserved.
    private static let reservedPart = 16

    private struct Member {
        let peer: PeerIdentity
        let isServed: Bool
        let end: @Sendable (ConnectionRegister.Ending) -> Void
    }

    private struct State {
        var connections: [UInt64: Member] = [:]
        /// Connections that are served, of all peers and of each.
        var served = 0
        var servedByPeer: [PeerIdentity: Int] = [:]
        var accepted = 0
        var isStopping = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func count(_ member: Member, by step: Int) {
            guard member.isServed else { return }
            served += step
            let own = servedByPeer[member.peer, default: 0] + step
            servedByPeer[member.peer] = own > 0 ? own : nil
        }
    }

    private let limit: Int
    private let reserves: Bool
    private let makeRoom: @Sendable (ConnectionPlaces.Number?) -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - reserves: whether there are reserved places.
    ///   - makeRoom: ends a connection in favour of that with the number, and lets it leave before it returns; false: there is none to end.
    init(limit: Int, reserves: Bool = true, makeRoom: @escaping @Sendable (ConnectionPlaces.Number?) -> Bool = { _ in false }) {
        (self.limit, self.reserves, self.makeRoom) = (limit, reserves, makeRoom)
    }

    /// The places that a peer may use, of all.
    private func places(for peer: PeerIdentity, _ state: State) -> Int {
        reserves && state.servedByPeer[peer, default: 0] >= Self.few ? limit - limit / Self.reservedPart : limit
    }

    var count: Int { state.withLock { $0.connections.count } }
    var accepted: Int { state.withLock { $0.accepted } }

    /// - Parameters:
    ///   - number: that of the connection among those from which nothing has come.
    ///   - end: called from any thread when the server stops.
    func enter(
        _ id: UInt64, of peer: PeerIdentity, _ number: ConnectionPlaces.Number? = nil,
        _ end: @escaping @Sendable (ConnectionRegister.Ending) -> Void
    ) -> ConnectionRegister.Entry {
        let lacksOne = state.withLock { state in
            state.accepted += 1
            return !state.isStopping && state.served == places(for: peer, state)
        }
        if lacksOne { _ = makeRoom(number) }
        return state.withLock { state in
            let isServed = !state.isStopping && state.served < places(for: peer, state)
            guard isServed || state.connections.count - state.served < Self.spare else { return .drop }
            let member = Member(peer: peer, isServed: isServed, end: end)
            state.connections[id] = member
            state.count(member, by: 1)
            if isServed { return .serve }
            return .sendAway(state.isStopping ? .stopping : .full)
        }
    }

    func leave(_ id: UInt64) {
        let waiting = state.withLock { state in
            if let member = state.connections.removeValue(forKey: id) { state.count(member, by: -1) }
            guard state.connections.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Tells every connection to finish, later ones included, and returns when the last one has left.
    func empty() async {
        let connections = state.withLock { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.end(.stopping) }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.connections.isEmpty { state.waiting.append(continuation) }
                return state.connections.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
