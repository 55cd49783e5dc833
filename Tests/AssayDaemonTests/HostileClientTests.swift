import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Misbehaving clients, with an honest caller beside them.
    @Suite("Hostile clients")
    struct HostileClientTests {
        struct Attack: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let threads: Int
            /// The repeated action of a thread, at a port.
            let deed: @Sendable (HostileClients, UInt16, Int) -> Void
        }

        static let attacks = [
            Attack(testDescription: "1,000 connections that send a byte of a frame now and then", threads: 4) {
                clients, port, _ in
                let start = Array(PlainFrame.framed([UInt8](repeating: 0x3A, count: 10_000)).prefix(8))
                dribble(clients, port, connections: 250, start: start, pause: 200_000)
            },
            Attack(testDescription: "bursts of calls far beyond the bound in flight", threads: 8) { clients, port, number in
                let burst = (1...500).flatMap { PlainFrame.call($0, "/assay.v1.Attestation/IssueChallenge", challengeRequest) }
                clients.connect(to: port, from: PlainSocket.otherMachine) { socket in
                    // Every fourth reads no answer until it is cut off.
                    if number % 4 > 0 { Thread.detachNewThread { socket.ignore() } }
                    while !clients.isOver, socket.say(burst) {
                        clients.count(500)
                        usleep(250_000)
                    }
                }
            },
            Attack(testDescription: "connections opened and closed", threads: 4) { clients, port, _ in
                clients.connect(to: port) { _ in clients.count() }
                usleep(2000)
            },
            Attack(testDescription: "junk in place of frames", threads: 4) { clients, port, _ in
                clients.connect(to: port) { socket in
                    var junk = [UInt8](repeating: 0, count: Int.random(in: 1...2000))
                    for index in junk.indices { junk[index] = UInt8.random(in: 0...255) }
                    // A length that is invalid, too long, or correct for bytes that are not a frame.
                    switch Int.random(in: 0..<3) {
                    case 0: socket.say([0, 0, 0, 0] + junk)
                    case 1: socket.say(junk)
                    default: socket.say(PlainFrame.framed(junk))
                    }
                    clients.count()
                }
                usleep(2000)
            },
        ]

        @Test("Misbehaving clients do not delay an honest caller", arguments: attacks)
        func attack(_ attack: Attack) async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let port = try port(of: daemon, "tcp")
            let honest = HonestCaller(home: home) { try await daemon.connect() }
            let calm = try await honest.calm()
            let clients = HostileClients(threads: attack.threads) { attack.deed($0, port, $1) }
            while clients.deeds < 1000 { try await Task.sleep(for: .milliseconds(5)) }
            try await honest.isServed(during: attack.testDescription, calm: calm)
            try await clients.stop()
            #expect(await daemon.stop().status == 0)
        }

        /// One caller with 64 connections at once, from another address than the honest one.
        struct Flood: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let isRead: Bool
            let burst: @Sendable (TestHome) throws -> [UInt8]
        }

        static let floods = [
            Flood(testDescription: "one caller's 64 connections, each with 64 cheap calls at once", isRead: true) { _ in
                calls(64, "/assay.v1.Attestation/IssueChallenge", challengeRequest)
            },
            Flood(testDescription: "one caller's 64 connections, each with 16 chains to verify", isRead: true) { home in
                // Genuine but for the client data, which is checked after the chain. It is caller-owned, so that no challenge
                // is used up.
                let data = try #require(ClientData(purpose: .register, challenge: [UInt8](repeating: 1, count: 54)))
                let phone = home.phone()
                let body = try phone.key.attest(clientDataHash: data.hash, at: SystemClock().now())
                let request = VerificationRequest(
                    app: home.app, purpose: .register, challenge: [],
                    evidence: [Evidence(format: .appAttestAttestation, keyID: phone.key.keyID, body: body)],
                    binding: .callerOwned([UInt8](repeating: 7, count: 32)))
                return calls(16, "/assay.v1.Attestation/Verify", try request.message.serializedBytes())
            },
            Flood(testDescription: "one caller's 64 connections, each with 64 long answers it does not read", isRead: false) {
                _ in
                calls(64, "/assay.v1.Audit/Read", [])
            },
        ]

        private static func calls(_ count: Int, _ method: String, _ message: [UInt8]) -> [UInt8] {
            (1...count).flatMap { PlainFrame.call($0, method, message) }
        }

        @Test("A caller that uses all its calls leaves another caller's available", arguments: floods)
        func flood(_ flood: Flood) async throws {
            let home = try TestHome()
            let text = home.folder.text("assayd.yaml")
            try home.folder.write(
                text.replacing(
                    "camera: {app_attest",
                    with: "camera: {binding: {caller_owned: {spend_evidence_for: 1h}}, app_attest"), to: "assayd.yaml")
            try await home.log(records: 1000)
            let daemon = try await TestDaemon(home)
            let port = try port(of: daemon, "tcp")
            let burst = try flood.burst(home)
            let honest = HonestCaller(home: home) { try await daemon.connect() }
            let calm = try await honest.calm()
            let clients = HostileClients(threads: 64) { clients, _ in
                clients.connect(to: port, from: PlainSocket.otherMachine) { socket in
                    if flood.isRead { Thread.detachNewThread { socket.ignore() } }
                    while !clients.isOver, socket.say(burst) {
                        clients.count()
                        usleep(100_000)
                    }
                }
            }
            while clients.deeds < 64 { try await Task.sleep(for: .milliseconds(5)) }
            await #expect(throws: Never.self) {
                try await honest.isServed(during: flood.testDescription, calm: calm)
            }
            try await clients.stop()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Continuous readers of the audit log do not delay an honest caller")
        func readers() async throws {
            let home = try TestHome()
            try await home.log(records: 5000)
            let daemon = try await TestDaemon(home)
            let port = try port(of: daemon, "tcp")
            let burst = (1...50).flatMap { PlainFrame.call($0, "/assay.v1.Audit/Read", []) }
            let honest = HonestCaller(home: home) { try await daemon.connect() }
            let calm = try await honest.calm()
            let clients = HostileClients(threads: 16) { clients, _ in
                clients.connect(to: port) { socket in
                    while !clients.isOver, socket.say(burst) {
                        for _ in 1...50 {
                            // The longest answer has 48 KiB of records.
                            guard let length = socket.hearFrame(), length > 40_000 else { return }
                            clients.count()
                        }
                    }
                }
            }
            while clients.deeds < 100 { try await Task.sleep(for: .milliseconds(5)) }
            let before = clients.deeds
            try await honest.isServed(during: "800 readings of a thousand audit records each at a time", calm: calm)
            #expect(clients.deeds > before)
            try await clients.stop()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Unfinished TLS handshakes do not exclude new connections")
        func handshakes() async throws {
            let tls = try TLSHome()
            let daemon = try await TestDaemon(tls.home)
            let port = try port(of: daemon, "tls")
            let files = try tls.files(.uri(TLSHome.uploads))
            let honest = HonestCaller(home: tls.home) { try await tls.connect(to: daemon, files) }
            let calm = try await honest.calm()
            // The beginning of a record with a ClientHello of 512 bytes; more of them than the handshake limit.
            let clients = HostileClients(threads: 4) { clients, _ in
                Self.dribble(
                    clients, port, connections: 550, start: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], pause: 1_000_000)
            }
            while clients.deeds < 2200 { try await Task.sleep(for: .milliseconds(5)) }
            try await honest.isServed(during: "2,200 TLS handshakes that never finish, begun again and again", calm: calm)
            try await clients.stop()
            #expect(await daemon.stop().status == 0)
        }

        private static let challengeRequest = PlainFrame.field(1, Array("camera".utf8)) + [0x10, 2]

        /// Opens connections that start a message, and then send a byte after each pause. Closed ones are opened again.
        private static func dribble(
            _ clients: HostileClients, _ port: UInt16, connections: Int, start: [UInt8], pause microseconds: UInt32
        ) {
            var sockets: [PlainSocket?] = Array(repeating: nil, count: connections)
            while !clients.isOver {
                for index in sockets.indices where !clients.isOver {
                    if let socket = sockets[index] {
                        if !socket.say([0x3A]) { sockets[index] = nil }
                    } else {
                        sockets[index] = PlainSocket(port: port)
                        sockets[index]?.say(start)
                        clients.count()
                    }
                }
                usleep(microseconds)
            }
        }

        private func port(of daemon: TestDaemon, _ scheme: String) throws -> UInt16 {
            try #require(try daemon.address(scheme).split(separator: ":").last.flatMap { UInt16($0) })
        }
    }
}
