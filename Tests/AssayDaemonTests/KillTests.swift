import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Killing the daemon at any instant loses no accepted verdict and makes no spent challenge valid again.
    @Suite("Kills")
    final class KillTests: Sendable {
        /// The answers that the clients received.
        private struct Seen {
            /// Accepted registrations, each with its phone.
            var registrations: [(phone: TestPhone, request: VerificationRequest)] = []
            /// By key id: the highest accepted counter.
            var counters: [[UInt8]: UInt32] = [:]
            /// Challenges spent by an accepted upload, each with its phone.
            var spent: [(phone: TestPhone, challenge: [UInt8])] = []
            /// Requests without an answer: they may or may not have been accepted.
            var unknown: [VerificationRequest] = []
            /// Acceptances in this round.
            var count = 0
        }

        private let seen = Mutex(Seen())

        @Test("Five kills under load lose no acceptance and revive no challenge")
        func underLoad() async throws {
            let home = try TestHome()
            for round in 0..<5 {
                let daemon = try await TestDaemon(home)
                let client = try await daemon.connect()
                try await check(client)
                seen.withLock { $0.count = 0 }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            // At another time in each round.
                            await self.load(client, home) { if $0 == 40 + 13 * round { daemon.child.signal(SIGKILL) } }
                        }
                    }
                }
                #expect(await daemon.child.ending().status == 128 + SIGKILL)
                await client.close()
            }
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            try await check(client)
            await client.close()
            #expect(await daemon.stop().status == 0)
            let total = seen.withLock { $0.registrations.count + $0.spent.count }
            #expect(total >= 5 * 40)
        }

        /// New phones that register and upload, until the daemon is gone.
        private func load(_ client: AssayClient, _ home: TestHome, _ afterAcceptance: @Sendable (Int) -> Void) async {
            do {
                while true {
                    var phone = home.phone()
                    let registration = try phone.registration(try await phone.challenge(.register, client))
                    try await send(registration, client)
                    let count = seen.withLock { [phone] seen in
                        seen.registrations.append((phone, registration))
                        seen.count += 1
                        return seen.count
                    }
                    afterAcceptance(count)
                    for _ in 0..<3 {
                        let challenge = try await phone.challenge(.assert, client)
                        try await send(try phone.upload(challenge), client)
                        let count = seen.withLock { [phone] seen in
                            seen.counters[phone.key.keyID] = phone.key.counter
                            seen.spent.append((phone, challenge))
                            seen.count += 1
                            return seen.count
                        }
                        afterAcceptance(count)
                    }
                }
            } catch is AssayError {
                // The daemon is gone.
            } catch {
                Issue.record(error)
            }
        }

        private func send(_ request: VerificationRequest, _ client: AssayClient) async throws {
            do {
                let verdict = try await client.patiently(request)
                #expect(verdict.outcome == "accepted")
            } catch {
                seen.withLock { $0.unknown.append(request) }
                throw error
            }
        }

        /// Compares the daemon with the clients' answers.
        private func check(_ client: AssayClient) async throws {
            let known = seen.withLock { seen in
                defer { seen.unknown = [] }
                return seen
            }
            for (phone, request) in known.registrations {
                let device = try await client.device(keyID: phone.key.keyID, app: phone.app, timeout: TestPhone.patience)
                #expect(device.counter >= known.counters[phone.key.keyID] ?? 0)
                #expect(try await client.patiently(request).outcome == "challenge_reused")
            }
            for (phone, challenge) in known.spent {
                // The evidence is valid and new; only the challenge is spent.
                var phone = phone
                let request = try phone.upload(challenge, counter: 1_000_000)
                #expect(try await client.patiently(request).outcome == "challenge_reused")
            }
            for request in known.unknown where try await client.patiently(request).outcome == "accepted" {
                #expect(try await client.patiently(request).outcome != "accepted")
            }
            let status = try await client.status(timeout: TestPhone.patience)
            #expect(status.store.devices >= Int64(known.registrations.count))
        }
    }
}
