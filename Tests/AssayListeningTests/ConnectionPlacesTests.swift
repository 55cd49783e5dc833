import Synchronization
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Connection places")
struct ConnectionPlacesTests {
    /// Opens connections, and keeps which of them gave way, by what the test calls them.
    private final class Connections: Sendable {
        let places: ConnectionPlaces
        private let ended = Mutex<[String]>([])

        init(limit: Int) { places = ConnectionPlaces(limit: limit) }

        var gone: [String] { ended.withLock { $0 } }

        @discardableResult
        func open(_ name: String, from address: String, at stage: ConnectionPlaces.Stage = .silent) -> ConnectionPlaces.Number {
            let origin = ConnectionOrigin(.tcp(address: address, port: 1, isLoopback: false))
            return places.enter(from: origin, at: stage) { self.ended.withLock { $0.append(name) } }
        }
    }

    @Test("an address that opens many connections loses its own, however many come, and others keep theirs")
    func flood() {
        let connections = Connections(limit: 8)
        connections.open("probe", from: "192.0.2.2", at: .handshake)
        for number in 0..<1000 { connections.open("flood \(number)", from: "192.0.2.1") }
        #expect(connections.gone == (0..<993).map { "flood \($0)" }, "the oldest first")
        #expect(connections.places.count == 8)
        connections.open("another probe", from: "192.0.2.3", at: .handshake)
        #expect(connections.gone.last == "flood 993")
        #expect(!connections.gone.contains { $0.hasSuffix("probe") })
    }

    @Test("of one address the connection ends that has got least far, and of these the oldest")
    func stages() {
        let connections = Connections(limit: 4)
        let (one, two) = (connections.open("1", from: "192.0.2.1"), connections.open("2", from: "192.0.2.1"))
        connections.open("3", from: "192.0.2.1", at: .handshake)
        connections.open("4", from: "192.0.2.1")
        connections.places.advance(one, to: .requested)
        connections.places.advance(two, to: .handshake)
        for name in ["5", "6", "7", "8"] { connections.open(name, from: "192.0.2.1") }
        #expect(connections.gone == ["3", "2", "4", "5"], "a stage does not go back")
        connections.places.leave(one)
        connections.open("9", from: "192.0.2.1")
        #expect(connections.gone.count == 4, "a place that is given back is free")
    }

    @Test("where each address has one, the connection ends that has got least far, and never the newest")
    func many() {
        let connections = Connections(limit: 3)
        for (name, stage) in [("1", ConnectionPlaces.Stage.requested), ("2", .silent), ("3", .handshake), ("4", .handshake)] {
            connections.open(name, from: "192.0.2.\(name)", at: stage)
        }
        connections.open("5", from: "192.0.2.5", at: .requested)
        connections.open("6", from: "192.0.2.6", at: .requested)
        connections.open("7", from: "192.0.2.7", at: .handshake)
        #expect(connections.gone == ["3", "4", "2", "1"])
    }

    @Test("all addresses of one IPv6 network of 64 bits are counted together, and an IPv4 address however it is written")
    func networks() {
        let same = [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"), ("fe80::1%eth0", "fe80::2"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ]
        for (one, other) in same { #expect(CountedAddress(one) == CountedAddress(other)) }
        let apart = ["2001:db8:1:2::1", "2001:db8:1:3::1", "192.0.2.1", "192.0.2.2", "::1", "no address"]
        #expect(Set(apart.map(CountedAddress.init)).count == apart.count)
        #expect(CountedAddress("2001:db8:1:2::1").description == "2001:db8:1:2::/64")
        for number in 0..<3 {
            let peer = RPCPeer.tls(
                address: "2001:db8:1:2::\(number)", port: 1, names: RPCPeerNames(uris: [], dnsNames: []))
            #expect(PeerIdentity(peer) == .address(CountedAddress("2001:db8:1:2::")))
        }
    }
}
