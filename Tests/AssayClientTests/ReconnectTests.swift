import AssayAPI
import AssayClient
import AssayCore
import AssayFramedRPC
import AssayRPC
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Reconnecting client", .timeLimit(.minutes(30)))
struct ReconnectTests {
    private let time = TestTime()

    @Test("connects when the first call wants it, once for all calls")
    func lazy() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            Assay_V1_StatusResponse()
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(daemon.accepted == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<32 { group.addTask { _ = try await client.status() } }
                try await group.waitForAll()
            }
            #expect(daemon.accepted == 1 && daemon.calls.count == 32)
            await client.close()
        }
    }

    @Test("goes over a new connection when the daemon has died and come back, without a pause")
    func comesBack() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            Assay_V1_StatusResponse()
        } _: { daemon in
            let client = try daemon.client(time)
            for _ in 0..<3 {
                _ = try await client.status()
                await daemon.go()
                try await daemon.come()
            }
            _ = try await client.status()
            #expect(daemon.accepted == 1 && time.pauses.isEmpty)
            await client.close()
        }
    }

    @Test("waits for a daemon that is away, and finds it")
    func away() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            Assay_V1_StatusResponse()
        } _: { daemon in
            let client = try daemon.client(time)
            await daemon.go()
            time.onPause { if $0 == 2 { try await daemon.come() } }
            _ = try await client.status()
            #expect(time.pauses.count == 2 && daemon.accepted == 1)
            await client.close()
        }
    }

    @Test("backs off from a daemon that is away, and tells calls of the meantime when to come")
    func backsOff() async throws {
        let daemon = FakeDaemon { _, _ throws(RPCError) in Assay_V1_StatusResponse() }
        let client = try daemon.client(time, ClientOptions(retry: .once))
        for _ in 0..<3 {
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.reason == "connect_failed")
            #expect(error?.retryAfterMilliseconds == 1001, "the same attempt: no time has passed")
        }
        try await daemon.come()
        let early = await #expect(throws: AssayError.self) { try await client.status() }
        #expect(early?.reason == "connect_failed" && daemon.accepted == 0)
        try await time.time.sleep(.seconds(1))
        _ = try await client.status()
        #expect(daemon.accepted == 1)
        await client.close()
        await daemon.go()
    }

    @Test("makes new calls over a new connection after a GoAway, while those in flight are finished")
    func goAway() async throws {
        let gate = Gate()
        try await FakeDaemon.run { call, number throws(RPCError) in
            if number == 1 { await gate.wait() }
            return Assay_V1_StatusResponse.with { $0.version = "\(number)" }
        } _: { daemon in
            let client = try daemon.client(time)
            async let slow = client.status().version
            while daemon.calls.isEmpty { await Task.yield() }
            async let gone: Void = daemon.go()
            // The socket's file is free as soon as the old one does not listen any more.
            while true {
                do {
                    try await daemon.come()
                    break
                } catch is RPCBindError { await Task.yield() }
            }
            #expect(try await client.status().version == "2")
            gate.open()
            #expect(try await slow == "1", "the old connection answered it")
            await gone
            #expect(time.pauses.isEmpty)
            await client.close()
        }
    }

    @Test("does not repeat what it was told to end: its own close")
    func closed() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            Assay_V1_StatusResponse()
        } _: { daemon in
            let client = try daemon.client(time)
            await client.close()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.reason == "connection_closed" && time.pauses.isEmpty && daemon.calls.isEmpty)
        }
    }

    @Test("gets the verdict whose answer was lost, as if it had not been lost")
    func lostAnswer() async throws {
        try await TestDaemon.run { real in
            let behind = try await RPCConnection.connect(to: try #require(real.addresses.first))
            // Hands calls on to the real daemon, and loses the first answer after it was given.
            try await FakeDaemon.run { call, number throws(RPCError) in
                let verdict: Assay_V1_Verdict = try await behind.call(call.method, try call.decode(Assay_V1_VerifyRequest.self))
                guard number > 1 else { throw RPCError(.unavailable, "lost", reason: "connection_lost") }
                #expect(verdict.repeated, "the daemon has given it before")
                return verdict
            } _: { daemon in
                let direct = try await real.connect()
                let app = try #require(AppID("camera"))
                let challenge = try await direct.issueChallenge(app: app, purpose: .register).bytes
                let client = try daemon.client(time)
                let verdict = try await client.verify(try TestDaemon.registration(TestDaemon.makeKey(), challenge))
                #expect(verdict.decision == .accepted && !verdict.repeated)
                #expect(daemon.calls.count == 2)
                #expect(try await real.ledger.status().auditCount == 2, "the configuration and one verdict")
                await client.close()
                await direct.close()
            }
            await behind.close()
        }
    }
}

/// Holds tasks until it is opened.
private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
