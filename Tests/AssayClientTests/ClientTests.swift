import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@Suite("Client")
struct ClientTests {
    private let camera = AppID("camera")

    @Test("registers a device, proves it and reads its record", arguments: TestDaemon.Socket.allCases)
    func wholeWay(_ socket: TestDaemon.Socket) async throws {
        try await TestDaemon.run(socket) { daemon in
            let camera = try #require(camera)
            let client = try await daemon.connect()
            var key = TestDaemon.makeKey()
            let issued = try await client.issueChallenge(app: camera, purpose: .register, context: [1, 2])
            #expect(issued.bytes.count == 54 && issued.expiry == TestDaemon.opening.adding(milliseconds: 300_000))
            var request = try TestDaemon.registration(key, issued.bytes)
            request.context = [1, 2]
            request.idempotencyKey = [7]
            let registered = try await client.verify(request)
            #expect(registered.decision == .accepted && registered.simulated && !registered.repeated)
            #expect(try await client.verify(request).repeated)
            // The receipt inside the attestation ends at the configured test root, too.
            #expect(registered.findings.contains { $0.check == "receipt_signature" && $0.outcome == .pass })
            #expect(!registered.findings.contains { $0.check.hasPrefix("receipt_") && $0.outcome == .note })

            let photo = Array("photo".utf8)
            let challenge = try await client.issueChallenge(app: camera, purpose: .assert).bytes
            let data = try #require(ClientData(purpose: .assert, challenge: challenge, payload: photo))
            let proved = try await client.verify(
                VerificationRequest(
                    app: camera, purpose: .assert, challenge: challenge,
                    evidence: [
                        Evidence(
                            format: .appAttestAssertion, keyID: key.keyID, body: try key.assert(clientDataHash: data.hash))
                    ],
                    binding: .clientData(payloadHash: data.payloadHash)))
            #expect(proved.decision == .accepted && proved.deviceID == registered.deviceID)

            let id = try #require(DeviceID(bytes: Array(registered.deviceID)))
            let device = try await client.device(id, app: camera)
            #expect(device.counter == 1)
            #expect(try await client.device(keyID: key.keyID, app: camera) == device)
            let status = try await client.status()
            #expect(status.traffic.accepted == 2 && status.store.devices == 1 && status.traffic.connections == 1)
            #expect(try await client.ping() > .zero)
            await client.close()
        }
    }

    @Test("lists blocks page by page, and finds that of one target")
    func blocks() async throws {
        try await TestDaemon.run { daemon in
            let camera = try #require(camera)
            let client = try await daemon.connect()
            for number in 1...3 as ClosedRange<UInt8> {
                _ = try await client.block(.key([number]), app: camera, reason: "key \(number)")
                _ = try await client.block(.subject([number]), app: camera, reason: "subject \(number)")
            }
            let first = try await client.blocks(app: camera, kind: .key, pageSize: 2)
            let rest = try await client.blocks(
                app: camera, kind: .key, pageSize: 2, pageToken: Array(first.nextPageToken))
            #expect(first.blocks.map(\.reason) == ["key 1", "key 2"] && rest.blocks.map(\.reason) == ["key 3"])
            #expect(rest.nextPageToken.isEmpty)
            #expect(try await client.blocks(app: camera).blocks.count == 6)
            let found = try #require(try await client.findBlock(of: .subject([2]), app: camera))
            #expect(found.reason == "subject 2" && found.sinceUnixMs == TestDaemon.opening.unixMilliseconds)
            #expect(try await client.findBlock(of: .key([2]), app: camera)?.keyID == Data([2]))
            #expect(try await client.findBlock(of: .subject([4]), app: camera) == nil)
            let unknown = await #expect(throws: AssayError.self) {
                try await client.findBlock(of: .device(.random()), app: camera)
            }
            #expect(unknown?.code == .notFound && unknown?.reason == "unknown_device")
            await client.close()
        }
    }

    @Test("reads the audit log in pages, through filters, and verifies it")
    func audit() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            #expect(try await client.audit().rows.count == 1, "the configuration of the start")
            for _ in 0..<3 {
                let challenge = try await client.issueChallenge(app: try #require(camera), purpose: .register).bytes
                let request = try TestDaemon.registration(TestDaemon.makeKey(), challenge)
                #expect(try await client.verify(request).decision == .accepted)
            }
            let first = try await client.audit(limit: 2)
            #expect(first.rows.map(\.number) == [1, 2] && first.hasMore && first.next == 3 && first.last == 4)
            let rest = try await client.audit(from: first.next)
            #expect(rest.rows.map(\.number) == [3, 4] && !rest.hasMore)
            var verifier = AuditVerifier(from: first.start)
            for row in first.rows + rest.rows { verifier.take(row) }
            let head = try #require(SignedAuditHead(try await client.status()))
            #expect(verifier.finish() == nil && verifier.chain == head.chain && head.start == AuditChain())
            let loaded = try #require(first.rows.first.flatMap { AuditChange(decoding: $0.record) })
            #expect(loaded.kind == .configurationLoad && loaded.origin == .start)
            let record = try #require(first.rows.last.flatMap { AuditRecord(decoding: $0.record) })
            #expect(record.caller == "loopback-demo" && record.app == camera && record.purpose == .register)
            let own = try await client.audit(filter: AuditFilter(app: camera, device: record.device, caller: record.caller))
            #expect(own.rows.map(\.number) == [2])
            let later = AuditFilter(since: TestDaemon.opening.adding(milliseconds: 1))
            #expect(try await client.audit(filter: later).rows.isEmpty)
            await client.close()
        }
    }

    @Test("gets a rejection as a verdict, not as an error")
    func rejection() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let request = try TestDaemon.registration(TestDaemon.makeKey(), [UInt8](repeating: 1, count: 54))
            let verdict = try await client.verify(request)
            #expect(verdict.decision == .rejected && verdict.reason == "challenge_invalid")
            await client.close()
        }
    }

    @Test(
        "asks for the time to live that it is told, to the millisecond",
        arguments: [(Duration.seconds(1), 1000), (.milliseconds(1), 1), (.seconds(3600), 3_600_000)] as [(Duration, Int64)])
    func timeToLive(_ duration: Duration, _ milliseconds: Int64) async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let issued = try await client.issueChallenge(app: try #require(camera), purpose: .assert, timeToLive: duration)
            #expect(issued.expiry == TestDaemon.opening.adding(milliseconds: milliseconds))
            await client.close()
        }
    }

    @Test("never asks for the app's default by a time to live that is too short", arguments: [Duration.microseconds(1), .zero])
    func shortTimeToLive(_ duration: Duration) async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let issued = try await client.issueChallenge(app: try #require(camera), purpose: .assert, timeToLive: duration)
            #expect(issued.expiry <= TestDaemon.opening.adding(milliseconds: 1))
            await client.close()
        }
    }

    @Test("is told the field where a request is out of bounds")
    func invalid() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let camera = try #require(camera)
            let context = await #expect(throws: AssayError.self) {
                try await client.issueChallenge(app: camera, purpose: .assert, context: [UInt8](repeating: 1, count: 65))
            }
            #expect(context?.code == .invalidArgument && context?.reason == "invalid_request")
            #expect(context?.message.hasPrefix("context ") == true && context?.retryAfterMilliseconds == nil)
            for duration in [Duration.seconds(3601), .seconds(Int64.max)] {
                let error = await #expect(throws: AssayError.self) {
                    try await client.issueChallenge(app: camera, purpose: .assert, timeToLive: duration)
                }
                #expect(error?.code == .invalidArgument && error?.message.hasPrefix("ttl_ms ") == true)
            }
            await client.close()
        }
    }

    @Test("is told what it may not, and what is not there")
    func denied() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let unknown = await #expect(throws: AssayError.self) {
                try await client.issueChallenge(app: try #require(AppID("no-such-app")), purpose: .assert)
            }
            #expect(unknown?.code == .notFound && unknown?.reason == "unknown_app")
            let missing = await #expect(throws: AssayError.self) {
                try await client.device(DeviceID.random(), app: try #require(camera))
            }
            #expect(missing?.code == .notFound && missing?.reason == "unknown_device")
            await client.close()
        }
    }

    @Test("An unknown caller is denied everything")
    func stranger() async throws {
        try await TestDaemon.run(callers: CallerDirectory(byUserID: [:])) { daemon in
            let client = try await daemon.connect()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .permissionDenied)
            #expect(try await client.ping() > .zero, "pings are the transport's")
            await client.close()
        }
    }

    @Test(
        "is told when to try again while the ledger fails",
        arguments: [
            (LedgerError.unavailable("test"), AssayError.Code.unavailable, "ledger_unavailable"),
            (.overloaded, .resourceExhausted, "ledger_overloaded"), (.corrupt("test"), .unavailable, "ledger_corrupt"),
        ])
    func outage(_ failure: LedgerError, _ code: AssayError.Code, _ reason: String) async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let challenge = try await client.issueChallenge(app: try #require(camera), purpose: .register).bytes
            let request = try TestDaemon.registration(TestDaemon.makeKey(), challenge)
            daemon.ledger.fail(with: failure)
            let error = await #expect(throws: AssayError.self) { try await client.verify(request) }
            #expect(error?.code == code && error?.reason == reason && (error?.retryAfterMilliseconds ?? 0) > 0)
            #expect(try await client.status().store.available == false)
            daemon.ledger.fail(with: nil)
            #expect(try await client.verify(request).decision == .accepted)
            await client.close()
        }
    }

    @Test("does not wait beyond its timeout")
    func timeout() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let error = await #expect(throws: AssayError.self) { try await client.status(timeout: .zero) }
            #expect(error?.code == .deadlineExceeded)
            await client.close()
        }
    }

    @Test("serves many tasks at once")
    func multiplexed() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            let camera = try #require(camera)
            try await withThrowingTaskGroup(of: Assay_V1_Verdict.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        let challenge = try await client.issueChallenge(app: camera, purpose: .register).bytes
                        return try await client.verify(try TestDaemon.registration(TestDaemon.makeKey(), challenge))
                    }
                }
                for try await verdict in group { #expect(verdict.decision == .accepted) }
            }
            #expect(try await daemon.ledger.status().devices == 32)
            await client.close()
        }
    }
}
