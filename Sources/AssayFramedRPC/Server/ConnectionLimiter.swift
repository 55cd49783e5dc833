import AssayRPC
import Synchronization

/// Bounds the open connections of a server, and tells them when the server stops.
///
/// The last sixteenth of the places is reserved for peers with few connections, so that one peer cannot keep the others out,
/// with any rights.
final class ConnectionLimiter: Sendable {
    /// What happens to a new connection.
    enum Entry: Sendable {
        case serve
        case sendAway(GoAwayReason)
        /// Closed without a reason: too many connections are open only to be told why.
        case drop
    }

    /// Connections that may be open at once only to be told why they are not served.
    static let spare = 256
    /// A peer with fewer connections than this may use the reserved places.
    static let few = 64
    /// One place in this many is reserved.
    private static let reservedPart = 16

    private struct Member {
        let peer: PeerIdentity
        let isServed: Bool
        let sendAway: @Sendable (GoAwayReason) -> Void
    }

    private struct State {
        var connections: [ObjectIdentifier: Member] = [:]
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
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.connections.count } }
    var accepted: Int { state.withLock { $0.accepted } }

    /// - Parameter sendAway: called from any thread when the server stops.
    func enter(
        _ id: ObjectIdentifier, of peer: PeerIdentity, _ sendAway: @escaping @Sendable (GoAwayReason) -> Void
    ) -> Entry {
        state.withLock { state in
            state.accepted += 1
            let hasFew = state.servedByPeer[peer, default: 0] < Self.few
            let places = hasFew ? limit : limit - limit / Self.reservedPart
            let isServed = !state.isStopping && state.served < places
            guard isServed || state.connections.count - state.served < Self.spare else { return .drop }
            let member = Member(peer: peer, isServed: isServed, sendAway: sendAway)
            state.connections[id] = member
            state.count(member, by: 1)
            if isServed { return .serve }
            return .sendAway(state.isStopping ? .shuttingDown : .tooManyConnections)
        }
    }

    func leave(_ id: ObjectIdentifier) {
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
