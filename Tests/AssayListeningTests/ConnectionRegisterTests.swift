import AssayTesting
import Synchronization
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Register of connections")
struct ConnectionRegisterTests {
    /// Connections of one register, each with what it was told.
    private final class Connections: Sendable {
        let register: ConnectionRegister
        private let told = Mutex<[String: ConnectionRegister.Ending]>([:])

        init(places: Int, givesWay: ConnectionPlaces.Stage = .silent) {
            var limits = ConnectionLimits()
            (limits.maxConnections, limits.givesWay) = (places, givesWay)
            register = ConnectionRegister(limits, logger: .silent)
        }

        func enter(_ name: String) -> (entry: ConnectionRegister.Entry, place: ConnectionPlace) {
            let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
            return register.enter(from: peer, as: PeerIdentity(peer)) { ending in self.told.withLock { $0[name] = ending } }
        }

        func told(_ name: String) -> ConnectionRegister.Ending? { told.withLock { $0[name] } }
    }

    @Test("a silent connection gives way to a newcomer; one that has asked for something does not, unless each may have to")
    func givesWay() {
        for (givesWay, isDisplaced) in [(ConnectionPlaces.Stage.silent, false), (.requested, true)] {
            let connections = Connections(places: 1, givesWay: givesWay)
            let one = connections.enter("one")
            let two = connections.enter("two")
            #expect(one.entry == .serve && two.entry == .serve && connections.told("one") == .displaced)
            two.place.advance(to: .requested)
            let three = connections.enter("three")
            #expect(three.entry == (isDisplaced ? .serve : .sendAway(.full)))
            #expect(connections.told("two") == (isDisplaced ? .displaced : nil))
            for place in [one.place, two.place, three.place] { place.leave() }
            #expect(connections.register.statistics.openConnections == 0)
        }
    }

    @Test("a place is given back once, at the latest when nothing refers to it")
    func leaving() {
        let connections = Connections(places: 2)
        let one = connections.enter("one")
        do {
            let two = connections.enter("two")
            #expect(two.entry == .serve && connections.register.statistics.openConnections == 2)
            two.place.advance(to: .requested)
        }
        #expect(connections.register.statistics.openConnections == 1)
        one.place.leave()
        one.place.leave()
        #expect(connections.register.statistics.openConnections == 0)
        #expect(connections.register.statistics.acceptedConnections == 2)
        let three = connections.enter("three")
        #expect(three.entry == .serve && connections.register.statistics.openConnections == 1)
        three.place.leave()
    }

    @Test("all are told when the server stops, those too that come later, and it waits until they have left")
    func emptying() async throws {
        let connections = Connections(places: 2)
        let one = connections.enter("one")
        let isEmpty = Mutex(false)
        async let emptying: Void = {
            await connections.register.empty()
            isEmpty.withLock { $0 = true }
        }()
        try await eventually("it is told") { connections.told("one") == .stopping }
        let late = connections.enter("late")
        #expect(late.entry == .sendAway(.stopping))
        one.place.leave()
        #expect(isEmpty.withLock { !$0 })
        late.place.leave()
        await emptying
        #expect(isEmpty.withLock { $0 })
    }

    @Test("ends are counted, and logged where an operator should know")
    func ends() {
        let log = LogBook()
        let register = ConnectionRegister(ConnectionLimits(), logger: log.logger)
        let peer = RPCPeer.tcp(address: "192.0.2.1", port: 1, isLoopback: false)
        for detail in ["why", nil, nil] { register.ended(because: "reason", detail, peer, PeerIdentity(peer)) }
        #expect(register.statistics.endedConnections == ["reason": 3])
        #expect(log.entries.map(\.metadata["detail"]) == ["why"])
    }

    @Test("failed handshakes cannot fill the log")
    func quiet() {
        let log = LogBook()
        let connections = ConnectionLog(log.logger)
        for _ in 0..<100 { connections.refused(.failed, of: "peer", "") }
        #expect(log.lines.count == LogRateLimiter.lineLimit)
        let long = String(repeating: "x", count: 1 << 20)
        for _ in 0..<100 { connections.ended(.expired, because: "certificate_expired", of: long) }
        #expect(log.lines.count == 2 * LogRateLimiter.lineLimit, "refused connections do not hide ended ones")
        #expect(log.lines.allSatisfy { $0.utf8.count < 500 })
    }
}
