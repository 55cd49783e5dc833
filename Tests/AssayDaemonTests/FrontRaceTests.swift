import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Requests that exclude each other race over the framed protocol, gRPC and JSON of one daemon: what one of them has done holds for the
    /// others at once.
    @Suite("Races between protocols")
    struct FrontRaceTests {
        private static let rounds = 4
        private static let racers = 64

        /// A daemon and its callers. Of four racers two are framed, one calls by gRPC, and one with JSON.
        private struct Running {
            let home: TestHome
            let daemon: TestDaemon
            let callers: [any MethodCaller]

            init() async throws {
                home = try .speakingHTTP()
                daemon = try await TestDaemon(home, addresses: 2)
                let (address, port) = (try daemon.address("tcp"), try daemon.httpPort)
                callers = [
                    try await FramedCaller(address), try await GRPCCaller(port: port), try await FramedCaller(address),
                    JSONCaller(port: port),
                ]
            }

            func challenge(_ purpose: Purpose) async throws -> [UInt8] {
                let request = Assay_V1_IssueChallengeRequest.with {
                    ($0.app, $0.purpose) = (home.app.text, purpose == .register ? .register : .assert)
                }
                return Array(try await callers[0].call(API.issueChallenge, request).challenge)
            }

            func registered() async throws -> TestPhone {
                let phone = home.phone()
                let request = try phone.registration(try await challenge(.register)).message
                #expect(try await callers[0].call(API.verify, request).outcome == "accepted")
                return phone
            }

            /// Sends all requests at once, each racer one, and counts the outcomes.
            func race(_ requests: [Assay_V1_VerifyRequest]) async throws -> [String: Int] {
                try await withThrowingTaskGroup(of: Assay_V1_Verdict.self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask { try await callers[index % callers.count].call(API.verify, request) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.outcome, default: 0] += 1 }
                }
            }

            func end() async {
                for caller in callers { await caller.close() }
                #expect(await daemon.stop().status == 0)
            }
        }

        @Test("64 requests race for one challenge, half framed and half over HTTP: exactly one is accepted")
        func oneChallenge() async throws {
            let running = try await Running()
            var phones: [TestPhone] = []
            for _ in 0..<4 { phones.append(try await running.registered()) }
            for round in 0..<Self.rounds {
                let challenge = try await running.challenge(.assert)
                // Each phone's uploads go over another protocol in each round.
                let requests = try (0..<Self.racers).map { try phones[($0 + round) % phones.count].upload(challenge).message }
                let outcomes = try await running.race(requests)
                #expect(outcomes["accepted"] == 1, "\(outcomes)")
                let answered = outcomes.values.reduce(0, +)
                #expect(answered == Self.racers)
                let known: Set = ["accepted", "challenge_reused", "challenge_attempts_exceeded"]
                #expect(known.isSuperset(of: outcomes.keys), "\(outcomes)")
            }
            await running.end()
        }

        @Test("64 uploads of one counter value, half framed and half over HTTP: exactly one is accepted")
        func oneCounter() async throws {
            let running = try await Running()
            var phone = try await running.registered()
            for counter in (0..<Self.rounds).map({ UInt32(5 * $0 + 3) }) {
                var requests: [Assay_V1_VerifyRequest] = []
                for _ in 0..<Self.racers {
                    requests.append(try phone.upload(try await running.challenge(.assert), counter: counter).message)
                }
                #expect(try await running.race(requests) == ["accepted": 1, "counter_not_increasing": Self.racers - 1])
            }
            await running.end()
        }

        @Test("Equal requests under one idempotency key, half framed and half over HTTP: all get one verdict")
        func oneIdempotencyKey() async throws {
            let running = try await Running()
            var phone = try await running.registered()
            for round in 0..<Self.rounds {
                var request = try phone.upload(try await running.challenge(.assert))
                request.idempotencyKey = [UInt8(round)]
                let message = request.message
                let verdicts = try await withThrowingTaskGroup(of: Assay_V1_Verdict.self) { group in
                    for index in 0..<Self.racers {
                        group.addTask { try await running.callers[index % running.callers.count].call(API.verify, message) }
                    }
                    return try await group.reduce(into: [Assay_V1_Verdict]()) { $0.append($1) }
                }
                #expect(verdicts.allSatisfy { $0.outcome == "accepted" })
                #expect(verdicts.count { !$0.repeated } == 1)
                let requestIDs = Set(verdicts.map(\.requestID))
                #expect(requestIDs.count == 1)
            }
            await running.end()
        }
    }
}
