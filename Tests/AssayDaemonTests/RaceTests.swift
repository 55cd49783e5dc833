import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Of requests that exclude each other exactly one is accepted, in any order.
    @Suite("Races")
    struct RaceTests {
        /// Sends all requests at once over four connections and counts the outcomes.
        private func race(_ requests: [VerificationRequest], _ daemon: TestDaemon) async throws -> [String: Int] {
            var clients: [AssayClient] = []
            for _ in 0..<4 { clients.append(try await daemon.connect()) }
            let outcomes = try await withThrowingTaskGroup(of: String.self) { [clients] group in
                for (index, request) in requests.enumerated() {
                    group.addTask { try await clients[index % clients.count].patiently(request).outcome }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            for client in clients { await client.close() }
            return outcomes
        }

        @Test("64 uploads race for one challenge: exactly one is accepted")
        func oneChallenge() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            for _ in 0..<3 {
                var phones: [TestPhone] = []
                for _ in 0..<4 {
                    phones.append(home.phone())
                    #expect(try await phones.last?.register(client).outcome == "accepted")
                }
                let challenge = try await client.issueChallenge(app: home.app, purpose: .assert).bytes
                let requests = try (0..<64).map { try phones[$0 % phones.count].upload(challenge) }
                let outcomes = try await race(requests, daemon)
                #expect(outcomes["accepted"] == 1, "\(outcomes)")
                let answered = outcomes.values.reduce(0, +)
                #expect(answered == 64)
                let known: Set = ["accepted", "challenge_reused", "challenge_attempts_exceeded"]
                #expect(known.isSuperset(of: outcomes.keys), "\(outcomes)")
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("64 registrations race for one challenge: exactly one is accepted")
        func oneEnrolment() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let challenge = try await client.issueChallenge(app: home.app, purpose: .register).bytes
            let requests = try (0..<64).map { _ in try home.phone().registration(challenge) }
            let outcomes = try await race(requests, daemon)
            #expect(outcomes["accepted"] == 1, "\(outcomes)")
            #expect(try await client.status().store.devices == 1)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("64 uploads race for one counter value: exactly one is accepted")
        func oneCounter() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            for counter: UInt32 in [1, 7, 4_000_000_000] {
                var requests: [VerificationRequest] = []
                for _ in 0..<64 {
                    requests.append(try phone.upload(try await phone.challenge(.assert, client), counter: counter))
                }
                let outcomes = try await race(requests, daemon)
                #expect(outcomes == ["accepted": 1, "counter_not_increasing": 63])
                #expect(try await client.device(keyID: phone.key.keyID, app: phone.app).counter == counter)
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Equal requests under one idempotency key race: all get one verdict")
        func oneIdempotencyKey() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            for round: UInt64 in 1...10 {
                var request = try phone.upload(try await phone.challenge(.assert, client))
                request.idempotencyKey = [UInt8(round)]
                #expect(try await race(Array(repeating: request, count: 64), daemon) == ["accepted": 64])
                #expect(try await client.status().traffic.accepted == 1 + round, "the registration, and one a round")
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
