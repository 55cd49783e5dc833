import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Synchronization
import Testing

extension ProcessTests {
    /// Three daemons on one PostgreSQL ledger: any of them answers as one would.
    @Suite("Daemons on one ledger", .needsServer)
    struct SharedLedgerTests {
        /// Whether a call was answered.
        private final class Answered: Sendable {
            private let flag = Atomic(false)
            var isMarked: Bool { flag.load(ordering: .sequentiallyConsistent) }
            func mark() { flag.store(true, ordering: .sequentiallyConsistent) }
        }

        /// Sends all requests at once, over two connections to each daemon, and counts the outcomes.
        private func race(_ requests: [VerificationRequest], _ daemons: [TestDaemon]) async throws -> [String: Int] {
            var clients: [AssayClient] = []
            for daemon in daemons + daemons { clients.append(try await daemon.connect()) }
            let outcomes = try await withThrowingTaskGroup(of: String.self) { [clients] group in
                for (index, request) in requests.enumerated() {
                    group.addTask { try await clients[index % clients.count].patiently(request).outcome }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            for client in clients { await client.close() }
            return outcomes
        }

        private func connected(_ daemons: [TestDaemon]) async throws -> [AssayClient] {
            var clients: [AssayClient] = []
            for daemon in daemons { clients.append(try await daemon.connect()) }
            return clients
        }

        @Test("A phone registers with one daemon, uploads to the others, and is blocked for all by any of them")
        func life() async throws {
            let shared = try SharedLedger(daemons: 3, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            var phone = shared.homes[0].phone()
            let registered = try await phone.register(clients[0])
            #expect(registered.outcome == "accepted")
            // A challenge of one daemon is spent at another.
            for (issuer, judge) in [(0, 1), (1, 2), (2, 0)] {
                let upload = try phone.upload(try await phone.challenge(.assert, clients[issuer]))
                let verdict = try await clients[judge].patiently(upload)
                #expect(verdict.outcome == "accepted" && verdict.deviceID == registered.deviceID)
                #expect(try await clients[issuer].patiently(upload).outcome != "accepted")
            }
            let device = try #require(DeviceID(bytes: Array(registered.deviceID)))
            _ = try await clients[1].block(.device(device), app: phone.app, reason: "stolen")
            for client in clients { #expect(try await phone.upload(client).outcome == "device_blocked") }
            _ = try await clients[2].unblock(.device(device), app: phone.app)
            for client in clients { #expect(try await phone.upload(client).outcome == "accepted") }
            // A running daemon keeps the keys of challenges for a while: none may run.
            #expect(await daemons[0].stop().status == 0)
            let refused = try await Child.run("assayd", ["forget-challenges", "--config", shared.homes[0].configuration])
            #expect(refused.status == 69 && refused.err.contains("is in use by daemon-2 ("), "\(refused)")
            for client in clients { await client.close() }
            for daemon in daemons.dropFirst() { #expect(await daemon.stop().status == 0) }
            let forgotten = try await Child.run("assayd", ["forget-challenges", "--config", shared.homes[0].configuration])
            #expect(forgotten.status == 0, "\(forgotten)")
            let verified = try await Child.run("assayd", ["audit", "verify", "--config", shared.homes[1].configuration])
            #expect(verified.status == 0, "\(verified)")
            for number in 1...3 { #expect(verified.out.contains("daemon-\(number)"), "\(verified)") }
            // All of it is there for a daemon that is started again.
            let again = try await TestDaemon(shared.homes[2])
            let client = try await again.connect()
            #expect(try await phone.upload(client).outcome == "accepted")
            await client.close()
            #expect(await again.stop().status == 0)
        }

        @Test(
            "64 uploads race over two to four daemons for one challenge, and for one counter value: exactly one is accepted",
            arguments: 2...4)
        func races(_ count: Int) async throws {
            let shared = try SharedLedger(daemons: count, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            for round in 0..<3 {
                var phones: [TestPhone] = []
                for index in 0..<4 {
                    phones.append(shared.homes[0].phone())
                    #expect(try await phones.last?.register(clients[index % count]).outcome == "accepted")
                }
                let challenge = try await phones[0].challenge(.assert, clients[round % count])
                let outcomes = try await race(try (0..<64).map { try phones[$0 % 4].upload(challenge) }, daemons)
                #expect(outcomes["accepted"] == 1, "\(outcomes)")
                let known: Set = ["accepted", "challenge_reused", "challenge_attempts_exceeded"]
                #expect(known.isSuperset(of: outcomes.keys), "\(outcomes)")

                var phone = phones[0]
                var requests: [VerificationRequest] = []
                for index in 0..<64 {
                    let challenge = try await phone.challenge(.assert, clients[index % count])
                    requests.append(try phone.upload(challenge, counter: UInt32(1000 + round)))
                }
                #expect(try await race(requests, daemons) == ["accepted": 1, "counter_not_increasing": 63])
            }
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }

        @Test("A block that one daemon has answered holds at the others, while uploads race with it")
        func blocks() async throws {
            let shared = try SharedLedger(daemons: 2, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            for _ in 0..<10 {
                var phone = shared.homes[0].phone()
                let registered = try await phone.register(clients[0])
                let device = try #require(DeviceID(bytes: Array(registered.deviceID)))
                var requests: [VerificationRequest] = []
                for _ in 0..<24 { requests.append(try phone.upload(try await phone.challenge(.assert, clients[1]))) }
                let (blocked, app) = (Answered(), phone.app)
                let late = try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        _ = try await clients[0].block(.device(device), app: app, reason: "stolen")
                        blocked.mark()
                        return false
                    }
                    for request in requests {
                        group.addTask {
                            let wasBlocked = blocked.isMarked
                            return try await clients[1].patiently(request).outcome == "accepted" && wasBlocked
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(late == 0, "accepted after the block was answered")
                #expect(try await phone.upload(clients[1]).outcome == "device_blocked")
            }
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }
    }
}
