import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Connection limiter")
struct ConnectionLimiterTests {
    /// The connections of one peer.
    private final class ManyConnections {
        let connectionLimiter: ConnectionLimiter
        let peer: RPCPeer
        private(set) var sockets: [UInt64] = []

        init(_ connectionLimiter: ConnectionLimiter, _ peer: RPCPeer) {
            (self.connectionLimiter, self.peer) = (connectionLimiter, peer)
        }

        func connect() -> String {
            // One number for all peers of a limiter.
            let socket = UInt64(connectionLimiter.accepted)
            sockets.append(socket)
            switch connectionLimiter.enter(socket, of: PeerIdentity(peer), nil, { _ in }) {
            case .serve: return "served"
            case .sendAway(let ending): return "\(ending)"
            case .drop: return "dropped"
            }
        }

        func leave(_ index: Int) { connectionLimiter.leave(sockets[index]) }
    }

    private static func tls(_ name: String, from address: String = "192.0.2.1", port: Int = 1) -> RPCPeer {
        .tls(address: address, port: port, names: RPCPeerNames(uris: [name], dnsNames: []))
    }

    @Test("the last sixteenth of the connections is reserved for peers with few, however many others come")
    func manyConnections() {
        let connectionLimiter = ConnectionLimiter(limit: 160)
        let peers = ManyConnections(connectionLimiter, Self.tls("spiffe://a"))
        #expect((0..<150).allSatisfy { _ in peers.connect() == "served" })
        // Connections that are told why they are not served, and those that are dropped, take no place.
        #expect((0..<ConnectionLimiter.spare).allSatisfy { _ in peers.connect() == "full" })
        #expect(peers.connect() == "dropped")
        let other = ManyConnections(connectionLimiter, Self.tls("spiffe://b"))
        #expect((0..<10).allSatisfy { _ in other.connect() == "served" })
        #expect(other.connect() == "dropped")
        // A connection that leaves frees a place only once the peer is below its bound.
        peers.leave(0)
        #expect(peers.connect() == "dropped")
        #expect(other.connect() == "served")
        for index in 1...11 { peers.leave(index) }
        peers.leave(150)
        #expect(peers.connect() == "served")
        #expect(peers.connect() == "full")
        #expect(other.connect() == "served")
    }

    @Test("a single peer gets all but the reserved connections, and the reserved ones while it has few")
    func alone() {
        let peers = ManyConnections(ConnectionLimiter(limit: 16_384), .unix(userID: 7, groupID: 7, processID: 1))
        #expect((0..<15_360).allSatisfy { _ in peers.connect() == "served" })
        #expect(peers.connect() == "full")
        let few = ManyConnections(ConnectionLimiter(limit: 32), .unix(userID: 7, groupID: 7, processID: 1))
        #expect((0..<32).allSatisfy { _ in few.connect() == "served" })
        #expect(few.connect() == "full")
    }

    @Test("where none is reserved, a single peer gets all places")
    func unreserved() {
        let peers = ManyConnections(ConnectionLimiter(limit: 160, reserves: false), Self.tls("spiffe://a"))
        #expect((0..<160).allSatisfy { _ in peers.connect() == "served" })
        #expect(peers.connect() == "full")
    }

    @Test("connections of one name, user or address are counted together, and others apart")
    func identities() {
        let same: [(RPCPeer, RPCPeer)] = [
            (Self.tls("spiffe://a"), Self.tls("spiffe://a", from: "192.0.2.2", port: 2)),
            (.unix(userID: 1, groupID: 1, processID: 1), .unix(userID: 1, groupID: 2, processID: 2)),
            (
                .tcp(address: "127.0.0.1", port: 1, isLoopback: true), .tcp(address: "127.0.0.1", port: 2, isLoopback: true)
            ),
        ]
        for (one, other) in same { #expect(PeerIdentity(one) == PeerIdentity(other)) }
        let apart: [RPCPeer] = [
            Self.tls("spiffe://a"), Self.tls("spiffe://b"), .unix(userID: 1, groupID: 1, processID: 1),
            .unix(userID: 2, groupID: 1, processID: 1), .tcp(address: "192.0.2.1", port: 1, isLoopback: false),
        ]
        #expect(Set(apart.map(PeerIdentity.init)).count == apart.count)
    }
}
