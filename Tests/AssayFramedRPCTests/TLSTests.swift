import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import NIOSSL
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("TLS")
struct TLSTests {
    // MARK: Callers that are accepted

    @Test("TLS carries calls, large ones too, and tells the handler the caller's names")
    func calls() async throws {
        let tls = try TestTLS()
        try await tls.run { server in
            let client = try await RPCConnection.connect(to: server.address, tls: tls.caller())
            let who = try await client.call(TestServer.who, Text(), returning: Text.self)
            #expect(who.value == "uri=spiffe://example.org/uploads dns=false")
            let long = String(repeating: "x", count: 900_000)
            #expect(try await client.call(TestServer.echo, Text(long), returning: Text.self).value == long)
            await client.close()
            try await eventually("the server lets go") { server.statistics.openConnections == 0 }
            #expect(server.statistics.endedConnections.isEmpty, "both sides end in order")
        }
    }

    @Test(
        "a client verifies the server by the name of the address or the name that it is given", arguments: [nil, "LOCALHOST"])
    func serverName(_ name: String?) async throws {
        let tls = try TestTLS()
        try await tls.run { server in
            guard case .tls(_, let port) = server.address else { throw CancellationError() }
            for host in ["127.0.0.1", "localhost"] {
                let client = try await RPCConnection.connect(
                    to: .tls(host: host, port: port), tls: tls.caller(serverName: name))
                await client.close()
            }
        }
    }

    @Test("a stopping server finishes what is in flight over TLS")
    func gracefulStop() async throws {
        let tls = try TestTLS()
        try await tls.run { server in
            let client = try await RPCConnection.connect(to: server.address, tls: tls.caller())
            async let answer = client.call(TestServer.hold, Text(), returning: Text.self)
            try await eventually("the call arrives") { !server.held.calls.isEmpty }
            async let stopped: Void = server.server.stop()
            try await eventually("the client hears of it") { !client.isOpen }
            server.held.answerAll("done")
            #expect(try await answer.value == "done")
            await stopped
        }
    }

    @Test("the connection of a TLS caller that does not read its answers is closed")
    func slowReader() async throws {
        var limits = RPCLimits.patient
        limits.writeTimeout = .milliseconds(200)
        let tls = try TestTLS()
        try await tls.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address, tls: try tls.configuration())
            peer.shout(try Frame.pinging.wire)
            _ = try await peer.hear()
            try await peer.setReading(false)
            peer.shout(try Frame.call(1, TestServer.pour, Number(0)).wire)
            try await eventually("the peer is given up") { server.statistics.endedConnections == ["write_timeout": 1] }
            try await eventually("nothing is held for it") {
                server.statistics.callsInFlight == 0 && server.statistics.openConnections == 0
            }
        }
    }

    // MARK: Callers that are refused

    /// A mistake of a caller, and the reason that the server counts for it.
    enum Fault: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case noCertificate, otherCA, expired, notYetValid, serverCertificate, selfSigned, oldTLS, otherProtocol, noProtocol

        var testDescription: String { rawValue }

        var counted: String {
            switch self {
            case .otherProtocol, .noProtocol: "wrong_protocol"
            default: "handshake_failed"
            }
        }

        func configuration(_ tls: TestTLS) throws -> TLSConfiguration {
            let (past, future) = (Timestamp(unixSeconds: 1_600_000_000), Timestamp(unixSeconds: 2_400_000_000))
            func showing(_ issued: TestTLSAuthority.Issued) throws -> TLSConfiguration {
                try tls.configuration(showing: issued)
            }
            var right = try tls.configuration()
            switch self {
            case .noCertificate:
                right.certificateChain = []
                right.privateKey = nil
            case .otherCA: return try showing(TestTLSAuthority("caller CA").issue(.client, names: TestTLS.names))
            case .expired: return try showing(tls.callerCA.issue(.client, names: TestTLS.names, notAfter: past))
            case .notYetValid: return try showing(tls.callerCA.issue(.client, names: TestTLS.names, notBefore: future))
            case .serverCertificate: return try showing(tls.callerCA.issue(.server, names: TestTLS.names))
            case .selfSigned: return try showing(tls.serverCA.issue(.client, names: TestTLS.names))
            case .oldTLS: right.maximumTLSVersion = .tlsv12
            case .otherProtocol: right.applicationProtocols = ["h2"]
            case .noProtocol: right.applicationProtocols = []
            }
            return right
        }
    }

    @Test("a caller that does one thing wrong in TLS is refused, and no other", arguments: Fault.allCases)
    func refused(_ fault: Fault) async throws {
        let tls = try TestTLS()
        try await tls.run { server in
            let peer = try await RawPeer.connect(to: server.address, tls: try fault.configuration(tls))
            peer.shout(try Frame.pinging.wire)
            #expect(try await peer.hear() == nil)
            try await eventually("it is counted") { server.statistics.endedConnections == [fault.counted: 1] }
            #expect(server.statistics.acceptedConnections == 0, "no frame of it is read")

            let right = try await RawPeer.connect(to: server.address, tls: try tls.configuration())
            right.shout(try Frame.pinging.wire)
            #expect(try await right.hear()?.kind == .pong(.init()))
        }
    }

    @Test("a certificate whose names cannot be read is refused")
    func unreadable() async throws {
        struct Unreadable: Error {}
        let tls = try TestTLS(naming: { _ in throw Unreadable() })
        try await tls.run { server in
            let peer = try await RawPeer.connect(to: server.address, tls: try tls.configuration())
            peer.shout(try Frame.pinging.wire)
            #expect(try await peer.hear() == nil)
            try await eventually("it is counted") { server.statistics.endedConnections == ["bad_certificate": 1] }
        }
    }

    @Test("a caller that does not speak TLS is refused")
    func plaintext() async throws {
        try await TestTLS().run { server in
            let peer = try await RawPeer.connect(to: server.address)
            peer.shout(try Frame.pinging.wire)
            try await eventually("the connection ends") { peer.hasEnded }
            try await eventually("it is counted") { server.statistics.endedConnections == ["handshake_failed": 1] }
        }
    }

    @Test("a handshake that takes too long is ended", arguments: [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]])
    func slow(_ beginning: [UInt8]) async throws {
        var limits = RPCLimits.patient
        limits.handshakeTimeout = .milliseconds(50)
        try await TestTLS().run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            peer.shout(beginning)
            try await eventually("the connection ends") { peer.hasEnded }
            try await eventually("it is counted") { server.statistics.endedConnections == ["handshake_timeout": 1] }
        }
    }

    @Test("handshakes in progress are bounded: a new one ends the oldest")
    func manyConnections() async throws {
        var limits = RPCLimits.patient
        (limits.maxHandshakes, limits.handshakeTimeout) = (2, .seconds(60))
        let tls = try TestTLS()
        try await tls.run(limits) { server in
            var silent: [RawPeer] = []
            for count in 1...2 {
                silent.append(try await RawPeer.connect(to: server.address))
                try await eventually("a silent one is greeted") { server.statistics.handshakesUnderWay == count }
            }
            let third = try await RawPeer.connect(to: server.address)
            try await eventually("the first is sent away") { silent[0].hasEnded }
            #expect(!silent[1].hasEnded && !third.hasEnded)
            try await eventually("it is counted") { server.statistics.endedConnections == ["too_many_handshakes": 1] }
            // Unfinished handshakes keep no caller out, and a finished handshake takes no place.
            let client = try await RPCConnection.connect(to: server.address, tls: tls.caller())
            try await eventually("the second is sent away") { silent[1].hasEnded }
            #expect(server.statistics.handshakesUnderWay == 1 && !third.hasEnded)
            let again = try await RPCConnection.connect(to: server.address, tls: tls.caller())
            #expect(server.statistics.handshakesUnderWay == 1 && !third.hasEnded, "there was a free place")
            await client.close()
            await again.close()
        }
    }

    // MARK: Servers that are refused

    @Test("a client does not trust a server of another CA, of another name, or without TLS")
    func servers() async throws {
        let (tls, other) = (try TestTLS(), try TestTLS())
        try await tls.run { server in
            let strangers: [(ClientTLS, String)] = [
                (
                    try other.caller(),
                    "certificate_verify_failed: the server's certificate is not from a CA that is trusted here"
                ),
                (
                    try tls.caller(serverName: "assay.example.org"),
                    "does not have the name assay.example.org, but localhost, 127.0.0.1"
                ),
                (try tls.caller(serverName: "ocalhost"), "does not have the name"),
            ]
            for (stranger, why) in strangers {
                let error = await #expect(throws: RPCError.self) {
                    try await RPCConnection.connect(to: server.address, tls: stranger)
                }
                #expect(error?.reason == "connect_failed" && error?.message.contains(why) == true, "\(error?.message ?? "")")
            }
            let error = await #expect(throws: RPCError.self) { try await RPCConnection.connect(to: server.address) }
            #expect(error?.reason == "connect_failed", "a client never speaks to a TLS address without TLS")
            guard case .tls(let host, let port) = server.address else { throw CancellationError() }
            let plain = try await RPCConnection.connect(to: .tcp(host: host, port: port))
            let misled = await #expect(throws: RPCError.self) { try await plain.ping() }
            #expect(
                misled?.reason == "protocol_broken" && misled?.message.contains("begins with tls:") == true,
                "\(misled?.message ?? "")")
        }
        try await TestServer.run { server in
            guard case .tcp(let host, let port) = server.address else { throw CancellationError() }
            let error = await #expect(throws: RPCError.self) {
                try await RPCConnection.connect(to: .tls(host: host, port: port), tls: tls.caller())
            }
            #expect(error?.reason == "connect_failed" && error?.code == .unavailable)
        }
    }

    @Test("a client tells a certificate out of date, one of another CA, an expired CA and another name apart")
    func serverFaults() async throws {
        let now = Timestamp(unixSeconds: Int64(Date().timeIntervalSince1970))
        let (past, future) = (now.adding(milliseconds: -3_600_000), now.adding(milliseconds: 3_600_000))
        let authority = try TestTLSAuthority("server CA")
        let names = [SubjectAlternativeName.dns("localhost"), .ipAddress([127, 0, 0, 1])]
        /// What a client says that trusts `trusted`, of a server with that certificate.
        func words(_ issued: TestTLSAuthority.Issued, trusting trusted: TestTLSAuthority...) async throws -> String {
            let callers = try TestTLSAuthority("caller CA")
            let server = try ServerTLS(
                TLSCredentials(
                    certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
                    authorities: Array(callers.pem.utf8)), for: [FramedServer.offer], clock: { now.unixMilliseconds },
                naming: TestTLS.naming)
            let own = try callers.issue(.client, names: TestTLS.names)
            let client = try ClientTLS(
                TLSCredentials(
                    certificates: Array(own.certificate.utf8), privateKey: Array(own.privateKey.utf8),
                    authorities: Array(trusted.map(\.pem).joined().utf8)))
            var message = ""
            try await TestServer.run(RPCLimits.patient, at: TestTLS.address, tls: server, log: nil) { server in
                do { _ = try await RPCConnection.connect(to: server.address, tls: client) } catch let error as RPCError {
                    message = error.message
                }
            }
            return message
        }
        let expired = try await words(authority.issue(.server, names: names, notAfter: past), trusting: authority)
        #expect(expired.contains("the server's certificate expired \(past.description.prefix(16))"), "\(expired)")
        let early = try await words(authority.issue(.server, names: names, notBefore: future), trusting: authority)
        #expect(early.contains("the server's certificate is valid from \(future.description.prefix(16))"), "\(early)")
        let good = try authority.issue(.server, names: names)
        let stranger = try TestTLSAuthority("another CA")
        #expect(try await words(good, trusting: stranger).hasSuffix("is not from a CA that is trusted here"))
        let old = try TestTLSAuthority("server CA", notAfter: past)
        let under = try old.issue(.server, names: names)
        #expect(
            try await words(under, trusting: old).hasSuffix("the CA certificates that are trusted here have expired, 1 of 1"))
        #expect(
            try await words(under, trusting: old, stranger).hasSuffix(
                "not from a CA that is trusted here: 1 of the 2 CA certificates have expired"))
        let elsewhere = try await words(authority.issue(.server, names: [.dns("db.example.org")]), trusting: authority)
        #expect(elsewhere.contains("does not have the name 127.0.0.1, but db.example.org"), "\(elsewhere)")
        let nameless = try await words(authority.issue(.server, names: []), trusting: authority)
        #expect(nameless.contains("it has no name"), "\(nameless)")
    }

    @Test("a connection error says in plain words that there is no listener, whatever the address")
    func noListener() async throws {
        let tls = try TestTLS()
        for host in ["127.0.0.1", "localhost"] {
            let address = RPCAddress.tls(host: host, port: 1)
            let error = await #expect(throws: RPCError.self) {
                try await RPCConnection.connect(to: address, tls: tls.caller())
            }
            #expect(error?.message == "\(address): nobody listens there (Connection refused)")
        }
        let lost = RPCAddress.tcp(host: "assay.invalid", port: 1)
        let error = await #expect(throws: RPCError.self) { try await RPCConnection.connect(to: lost) }
        #expect(error?.message == "\(lost): the name assay.invalid leads to no address")
    }

    @Test("a client learns why the server refused its certificate")
    func reason() async throws {
        let tls = try TestTLS()
        let stranger = try ClientTLS(
            TestTLS.credentials(TestTLSAuthority().issue(.client, names: []), trusting: tls.serverCA))
        try await tls.run { server in
            let error = await #expect(throws: RPCError.self) {
                try await RPCConnection.connect(to: server.address, tls: stranger)
            }
            #expect(error?.message.contains("unknown_ca") == true, "\(error?.message ?? "")")
        }
    }

    // MARK: Certificates that change

    @Test("open connections outlive a change of certificates, and new ones get the new certificates")
    func reload() async throws {
        let tls = try TestTLS()
        let (newServerCA, newCallerCA) = (try TestTLSAuthority("new server CA"), try TestTLSAuthority("new caller CA"))
        try await tls.run { server in
            let before = try await RPCConnection.connect(to: server.address, tls: tls.caller())
            async let inFlight = before.call(TestServer.hold, Text(), returning: Text.self)
            try await eventually("a call is in flight") { !server.held.calls.isEmpty }

            let exchange = try tls.server.prepare(
                TestTLS.serverCredentials(newServerCA, trusting: tls.callerCA, newCallerCA))
            await (try await RPCConnection.connect(to: server.address, tls: tls.caller())).close()
            #expect(exchange() == 0)
            server.held.answerAll("held")
            #expect(try await inFlight.value == "held")
            #expect(try await before.call(TestServer.echo, Text("still"), returning: Text.self).value == "still")
            #expect(before.isOpen)
            await before.close()
            #expect(try tls.server.prepare(TestTLS.serverCredentials(newServerCA, trusting: newCallerCA))() == 1)

            func caller(from authority: TestTLSAuthority, trusting server: TestTLSAuthority) throws -> ClientTLS {
                try ClientTLS(TestTLS.credentials(authority.issue(.client, names: TestTLS.names), trusting: server))
            }
            let after = try await RPCConnection.connect(
                to: server.address, tls: caller(from: newCallerCA, trusting: newServerCA))
            for (who, tls) in [
                ("sees the old certificate", try caller(from: newCallerCA, trusting: tls.serverCA)),
                ("has a certificate of the CA that went", try caller(from: tls.callerCA, trusting: newServerCA)),
            ] {
                await #expect(throws: RPCError.self, "not \(who)") {
                    try await RPCConnection.connect(to: server.address, tls: tls)
                }
            }
            #expect(after.isOpen)
            await after.close()
        }
    }

    @Test("a key that is not the certificate's changes nothing")
    func badReload() async throws {
        let tls = try TestTLS()
        let (one, other) = (try tls.serverCA.issue(.server, names: []), try tls.serverCA.issue(.server, names: []))
        try await tls.run { server in
            let error = #expect(throws: TLSError.self) {
                _ = try tls.server.prepare(
                    TLSCredentials(
                        certificates: Array(one.certificate.utf8), privateKey: Array(other.privateKey.utf8),
                        authorities: Array(tls.callerCA.pem.utf8)))
            }
            #expect(error?.part == .privateKey)
            await (try await RPCConnection.connect(to: server.address, tls: tls.caller())).close()
        }
    }

    @Test("the error names the credential that cannot be read")
    func inputs() throws {
        let authority = try TestTLSAuthority()
        let good = try authority.issue(.server, names: [])
        func problem(_ certificates: String, _ key: String, _ authorities: String) -> TLSError.Part? {
            do throws(TLSError) {
                _ = try TLSCredentials(
                    certificates: Array(certificates.utf8), privateKey: Array(key.utf8), authorities: Array(authorities.utf8))
                return nil
            } catch {
                return error.part
            }
        }
        #expect(problem(good.certificate, good.privateKey, authority.pem) == nil)
        for bad in ["", "\n", "hello", String(good.certificate.dropLast(30)), "\0"] {
            #expect(problem(bad, good.privateKey, authority.pem) == .certificates)
            #expect(problem(good.certificate, bad, authority.pem) == .privateKey)
            #expect(problem(good.certificate, good.privateKey, bad) == .authorities)
        }
        #expect(problem(good.privateKey, good.privateKey, authority.pem) == .certificates)
        let many = String(repeating: authority.pem, count: TLSCredentials.certificateLimit + 1)
        #expect(problem(good.certificate, good.privateKey, many) == .authorities)
    }

    @Test("a server without a certificate does not listen at a TLS address")
    func noCertificate() async {
        let error = await #expect(throws: RPCBindError.self) {
            try await TestServer.run(at: TestTLS.address) { _ in }
        }
        #expect(error?.description == "cannot listen at tls:127.0.0.1:0: there is no certificate to show")
    }
}
