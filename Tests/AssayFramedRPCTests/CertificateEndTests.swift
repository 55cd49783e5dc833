import AssayCore
import AssaySimulator
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("End of a caller's certificate", .timeLimit(.minutes(30)))
struct CertificateEndTests {
    static let opening = Timestamp(unixSeconds: 1_900_000_000)
    let clock = FixedClock(Self.opening)

    /// Checks certificates very often.
    private var impatient: RPCLimits {
        var limits = RPCLimits.patient
        limits.certificateInterval = .milliseconds(10)
        return limits
    }

    /// An open connection of a caller whose certificate expires so many seconds after the opening.
    private func peer(
        _ server: TestServer, _ tls: TestTLS, endsAfter seconds: Int64, from authority: TestTLSAuthority? = nil
    ) async throws -> RawPeer {
        let end = Timestamp(unixSeconds: 1_900_000_000 + seconds)
        let issued = try (authority ?? tls.callerCA).issue(.client, names: TestTLS.names, notAfter: end)
        let peer = try await RawPeer.connect(to: server.address, tls: try tls.configuration(showing: issued))
        try await check(peer)
        return peer
    }

    private func check(_ peer: RawPeer) async throws {
        try await peer.say(Frame.pinging.wire)
        #expect(try await peer.hear()?.kind == .pong(.init()))
    }

    @Test("an expired certificate ends its connections in order, says why, and leaves all others open")
    func expired() async throws {
        let log = LogBook()
        let tls = try TestTLS(clock: clock)
        try await tls.run(impatient, log: log) { server in
            let (peer, idle) = (
                try await peer(server, tls, endsAfter: 60), try await self.peer(server, tls, endsAfter: 60)
            )
            let other = try await self.peer(server, tls, endsAfter: 61)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }

            clock.advance(milliseconds: 59_999)
            try await Task.sleep(for: .milliseconds(50))
            try await check(peer)
            clock.advance(milliseconds: 1)
            #expect(try await peer.hear()?.goAwayReason == "certificate_expired")
            #expect(try await idle.hearAll().map(\.goAwayReason) == ["certificate_expired"])
            try await peer.say(Frame.call(2, TestServer.echo).wire)
            #expect(try await peer.hear()?.reason == "going_away")
            server.held.answerAll()
            #expect(
                try await peer.hearAll().map(\.text) == ["held"], "calls in flight are answered, and then the connection ends")
            await peer.close()
            await idle.close()

            try await eventually("they are gone") { server.statistics.openConnections == 1 }
            try await check(other)
            #expect(server.statistics.endedConnections == ["certificate_expired": 2])
            let lines = log.lines.filter { $0.contains("ended a connection") }
            #expect(lines.count == 2)
            #expect(
                lines.allSatisfy {
                    $0.hasPrefix("info: ") && $0.contains("reason=certificate_expired")
                        && $0.contains("detail=its certificate expired") && $0.contains("uri=spiffe://example.org/uploads")
                }, "\(lines)")
        }
    }

    @Test("an expired certificate ends a connection that is never idle")
    func busy() async throws {
        var limits = impatient
        limits.drainTimeout = .milliseconds(100)
        let tls = try TestTLS(clock: clock)
        try await tls.run(limits) { server in
            let peer = try await peer(server, tls, endsAfter: 60)
            try await peer.say(Frame.call(1, TestServer.pour, Number(0)).wire)
            try await eventually("it pours") { server.held.poured > 100 }
            clock.advance(milliseconds: 60_000)
            var reason: String?
            while let frame = try await peer.hear() { reason = frame.goAwayReason ?? reason }
            #expect(reason == "certificate_expired")
        }
    }

    @Test("after a certificate expires, calls in flight are bounded by the drain timeout")
    func drain() async throws {
        var limits = impatient
        (limits.drainTimeout, limits.lingerTimeout) = (.milliseconds(100), .seconds(3))
        let tls = try TestTLS(clock: clock)
        try await tls.run(limits) { server in
            let peer = try await peer(server, tls, endsAfter: 60)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            clock.advance(milliseconds: 60_000)
            #expect(try await peer.hear()?.goAwayReason == "certificate_expired")
            let answer = try await peer.hear()
            #expect(answer?.code == .unavailable && answer?.reason == "shutting_down")
            // The peer keeps its side open.
            try await eventually("the connection is gone") { server.statistics.openConnections == 0 }
        }
    }

    @Test("a certificate expires on time between two checks, and by uptime when the wall clock is set back")
    func setBack() async throws {
        let tls = try TestTLS(clock: clock)
        clock.advance(milliseconds: 58_000)
        try await tls.run { server in
            let begin = ContinuousClock.now
            let peer = try await peer(server, tls, endsAfter: 60)
            clock.advance(milliseconds: -3_600_000)
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["certificate_expired"])
            let taken = begin.duration(to: .now)
            // Before the first of the checks, which are 30 s apart.
            #expect(taken >= .milliseconds(1999) && taken < .seconds(29), "\(taken)")
            await peer.close()
        }
    }

    @Test("a certificate that has expired by the server's clock before the handshake is refused")
    func refused() async throws {
        let tls = try TestTLS(clock: clock)
        try await tls.run { server in
            let issued = try tls.callerCA.issue(.client, names: TestTLS.names, notAfter: Self.opening)
            let peer = try await RawPeer.connect(to: server.address, tls: try tls.configuration(showing: issued))
            peer.shout(try Frame.pinging.wire)
            #expect(try await peer.hear() == nil)
            try await eventually("it is counted") { server.statistics.endedConnections == ["bad_certificate": 1] }
        }
    }

    // MARK: The CAs

    @Test("removing a CA ends the open connections in order, and later connections stay")
    func authorityRemoved() async throws {
        let log = LogBook()
        let tls = try TestTLS(clock: clock)
        let second = try TestTLSAuthority("second caller CA")
        try await tls.run(impatient, log: log) { server in
            #expect(try tls.server.prepare(TestTLS.serverCredentials(tls.serverCA, trusting: tls.callerCA, second))() == 0)
            let peers = [
                try await peer(server, tls, endsAfter: 86_400),
                try await peer(server, tls, endsAfter: 86_400, from: second),
            ]
            try await peers[0].say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            // Checks take place, and find nothing.
            try await Task.sleep(for: .milliseconds(50))
            for peer in peers { try await check(peer) }

            #expect(try tls.server.prepare(TestTLS.serverCredentials(tls.serverCA, trusting: second))() == 1)
            for peer in peers { #expect(try await peer.hear()?.goAwayReason == "authority_gone") }
            server.held.answerAll()
            #expect(try await peers[0].hearAll().map(\.text) == ["held"])
            for peer in peers { await peer.close() }

            let again = try await peer(server, tls, endsAfter: 86_400, from: second)
            try await Task.sleep(for: .milliseconds(50))
            try await check(again)
            #expect(server.statistics.endedConnections == ["authority_gone": 2])
            #expect(log.lines.count { $0.contains("detail=a CA was taken out since it connected") } == 2)
        }
    }

    @Test("the expiry of a CA ends its connections")
    func authorityExpired() async throws {
        let tls = try TestTLS(
            clock: clock, callerCA: TestTLSAuthority("caller CA", notAfter: Timestamp(unixSeconds: 1_900_000_060)))
        try await tls.run(impatient) { server in
            let peer = try await peer(server, tls, endsAfter: 86_400)
            clock.advance(milliseconds: 60_000)
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["authority_gone"])
            await peer.close()
        }
    }
}
