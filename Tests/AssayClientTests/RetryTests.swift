import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import SwiftProtobuf
import Testing

@Suite("Repeated call", .timeLimit(.minutes(30)))
struct RetryTests {
    private let time = TestTime()

    private func request(key: [UInt8] = []) throws -> VerificationRequest {
        VerificationRequest(
            app: try #require(AppID("camera")), purpose: .assert, challenge: [UInt8](repeating: 1, count: 54),
            evidence: [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])], idempotencyKey: key)
    }

    @Test("is answered when the daemon is available again, after doubled pauses")
    func recovers() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 3 else { throw FakeDaemon.unavailable }
            return Assay_V1_StatusResponse.with { $0.version = "7" }
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(try await client.status().version == "7")
            #expect(time.pauses == [.seconds(1), .seconds(2), .seconds(4)])
            #expect(daemon.calls.count == 4 && daemon.accepted == 1, "over one connection")
            await client.close()
        }
    }

    @Test("ends after five tries with what the daemon said")
    func givesUp() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw FakeDaemon.unavailable
        } _: { daemon in
            let client = try daemon.client(time)
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .unavailable && error?.reason == "ledger_unavailable")
            #expect(daemon.calls.count == 5 && time.pauses.count == 4)
            await client.close()
        }
    }

    @Test("waits as long as the daemon says, if that is longer")
    func retryAfter() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            switch number {
            case 1: throw RPCError(.unavailable, "later", reason: "x", retryAfterMilliseconds: 5000)
            case 2: throw RPCError(.resourceExhausted, "soon", reason: "overloaded", retryAfterMilliseconds: 100)
            default: return Assay_V1_StatusResponse()
            }
        } _: { daemon in
            let client = try daemon.client(time)
            _ = try await client.status()
            #expect(time.pauses == [.milliseconds(5500), .seconds(2)], "told time and a tenth; its own pause")
            await client.close()
        }
    }

    @Test("ends at once where the next try would come after the deadline")
    func deadline() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw RPCError(.unavailable, "later", reason: "ledger_corrupt", retryAfterMilliseconds: 60_000)
        } _: { daemon in
            let client = try daemon.client(time)
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.reason == "ledger_corrupt", "the caller hears why, not that the time is over")
            #expect(daemon.calls.count == 1 && time.pauses.isEmpty)
            await client.close()
        }
    }

    @Test("tells the daemon only what is left of its time")
    func remaining() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 2 else { throw FakeDaemon.unavailable }
            return Assay_V1_StatusResponse()
        } _: { daemon in
            let client = try daemon.client(time)
            _ = try await client.status(timeout: .seconds(20))
            let limits = daemon.calls.map { call in call.deadline.map { $0 - call.received } }
            #expect(limits == [.seconds(20), .seconds(19), .seconds(17)])
            await client.close()
        }
    }

    @Test(
        "is not made after an answer that a repetition does not change",
        arguments: [
            RPCStatusCode.invalidArgument, .permissionDenied, .notFound, .failedPrecondition, .internalError, .deadlineExceeded,
            .unimplemented, .cancelled, .aborted, .unauthenticated,
        ])
    func final(_ code: RPCStatusCode) async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw RPCError(code, "no", reason: "no")
        } _: { daemon in
            let client = try daemon.client(time)
            await #expect(throws: AssayError.self) { try await client.status() }
            #expect(daemon.calls.count == 1)
            await client.close()
        }
    }

    @Test("ends when its task is cancelled in a pause")
    func cancelled() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw FakeDaemon.unavailable
        } _: { daemon in
            let client = try daemon.client(time)
            time.onPause { _ in throw CancellationError() }
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .cancelled && daemon.calls.count == 1)
            await client.close()
        }
    }

    // MARK: Verifications

    private func keys(_ calls: [RPCCall]) throws -> [[UInt8]] {
        try calls.map { Array(try Assay_V1_VerifyRequest(serializedBytes: $0.message).idempotencyKey) }
    }

    @Test(
        "of a certificate bundle is marked as repeated only if another request submitted the statement",
        arguments: [true, false])
    func statement(_ isKnown: Bool) async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Assay_V1_Verdict.with {
                $0.decision = .accepted
                $0.repeated = true
                if isKnown { $0.findings = [.with { $0.code = Finding.repeatedStatement }] }
            }
        } _: { daemon in
            let client = try daemon.client(time)
            var bundle = try request()
            bundle.challenge = []
            bundle.evidence = [CertificateBundle.json([1]).evidence]
            bundle.binding = .inEvidence
            #expect(try await client.verify(bundle).repeated == isKnown)
            let keys = try daemon.calls.map { try Assay_V1_VerifyRequest(serializedBytes: $0.message).idempotencyKey }
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 16)
            await client.close()
        }
    }

    @Test("of a verification goes under one key of its own, and is not marked as repeated")
    func keyed() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Assay_V1_Verdict.with {
                $0.decision = .accepted
                $0.repeated = true
            }
        } _: { daemon in
            let client = try daemon.client(time)
            let verdict = try await client.verify(try request())
            #expect(verdict.decision == .accepted && !verdict.repeated)
            let keys = try keys(daemon.calls)
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 16)
            _ = try await client.verify(try request())
            #expect(try self.keys(daemon.calls)[2] != keys[0], "another call has another key")
            await client.close()
        }
    }

    @Test("of a verification keeps the caller's key and mark")
    func ownKey() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Assay_V1_Verdict.with { $0.repeated = true }
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(try await client.verify(try request(key: [7, 7])).repeated)
            #expect(try keys(daemon.calls) == [[7, 7], [7, 7]])
            await client.close()
        }
    }

    @Test("of a verification without a key is made only where it was not begun")
    func unkeyed() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            throw number == 1 ? RPCError(.resourceExhausted, "full", reason: "overloaded") : FakeDaemon.unavailable
        } _: { daemon in
            let client = try daemon.client(time, ClientOptions(idempotencyKeys: false))
            let error = await #expect(throws: AssayError.self) { try await client.verify(try request()) }
            #expect(error?.reason == "ledger_unavailable")
            #expect(try keys(daemon.calls) == [[], []], "after overloaded again, after unavailable not")
            await client.close()
        }
    }
}
