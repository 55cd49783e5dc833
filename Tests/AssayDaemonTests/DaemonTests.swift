import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Daemon")
    struct DaemonTests {
        @Test("A phone registers and uploads over TCP, replays are refused, and both are shown")
        func life() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()

            let enrolment = try phone.registration(try await phone.challenge(.register, client))
            let registered = try await client.patiently(enrolment)
            #expect(registered.outcome == "accepted")
            #expect(registered.simulated, "an authority of a test vouches for it")
            #expect(registered.deviceID.count == 16)
            #expect(try await client.patiently(enrolment).outcome == "challenge_reused")

            let upload = try phone.upload(try await phone.challenge(.assert, client))
            let accepted = try await client.patiently(upload)
            #expect(accepted.outcome == "accepted")
            #expect(accepted.deviceID == registered.deviceID)
            #expect(try await client.patiently(upload).outcome == "counter_not_increasing")

            let id = try #require(DeviceID(bytes: Array(registered.deviceID)))
            let device = try await client.device(id, app: phone.app)
            #expect(device.counter == 1)
            #expect(device.keyID == Data(phone.key.keyID))
            #expect(try await client.device(keyID: phone.key.keyID, app: phone.app).deviceID == registered.deviceID)
            let other = try #require(AppID("other"))
            await Self.expect(.notFound) { _ = try await client.device(id, app: other) }
            await Self.expect(.notFound) { _ = try await client.device(id, app: try #require(AppID("nothing"))) }

            let status = try await client.status()
            #expect(status.store.available)
            #expect(status.store.devices == 1)
            #expect(status.store.auditCount == 3, "the configuration and two verdicts")
            #expect(status.traffic.accepted == 2)
            #expect(status.traffic.rejected == ["challenge_reused": 1, "counter_not_increasing": 1])
            #expect(status.apps.map(\.app).sorted() == ["camera", "other"])
            #expect(status.anchors.contains { $0.simulated } && status.anchors.contains { !$0.simulated })
            #expect(try await client.ping() < TestPhone.patience)
            await client.close()
            let ending = await daemon.stop()
            #expect(ending.status == 0, "\(ending)")
            for secret in [Hex.encode(phone.key.keyID), Base64.standard.encode(phone.key.keyID)] {
                #expect(!ending.err.contains(secret), "evidence is not logged")
            }
        }

        @Test("A user at a Unix socket may call what its roles allow, and nothing else")
        func roles() async throws {
            let uid = getuid()
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(uid), roles: [verify], apps: [camera]}]}")
            let daemon = try await TestDaemon(home)
            #expect(daemon.addresses == ["unix:" + home.folder.file("assay.sock")])
            let attributes = try FileManager.default.attributesOfItem(atPath: home.folder.file("assay.sock"))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let client = try await daemon.connect("unix")
            var phone = home.phone()
            let registered = try await phone.register(client)
            #expect(registered.outcome == "accepted")
            #expect(try await phone.upload(client).outcome == "accepted")

            let id = try #require(DeviceID(bytes: Array(registered.deviceID)))
            let other = try #require(AppID("other"))
            await Self.expect(.permissionDenied) { _ = try await client.device(id, app: phone.app) }
            await Self.expect(.permissionDenied) { _ = try await client.status() }
            await Self.expect(.permissionDenied) { _ = try await phone.challenge(.provision, client) }
            await Self.expect(.permissionDenied) { _ = try await client.issueChallenge(app: other, purpose: .assert) }
            await client.close()
            #expect(await daemon.stop().status == 0)
            #expect(!FileManager.default.fileExists(atPath: home.folder.file("assay.sock")))
        }

        @Test("A user without an entry in the configuration is refused")
        func strangers() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid() + 1), roles: [verify], apps: all}]}")
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect("unix")
            await Self.expect(.permissionDenied) { _ = try await home.phone().challenge(.register, client) }
            await Self.expect(.permissionDenied) { _ = try await client.status() }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("At a stop the calls in flight are finished, and the exit status is 0")
        func gracefulStop() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phones = (0..<24).map { _ in home.phone() }
            var requests: [VerificationRequest] = []
            for phone in phones { requests.append(try phone.registration(try await phone.challenge(.register, client))) }
            let outcomes = await withTaskGroup(of: String.self) { group in
                for request in requests {
                    group.addTask {
                        do {
                            return try await client.patiently(request).outcome
                        } catch let error as AssayError {
                            return error.code.rawValue
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                // After the first answer the others are in flight or in the pipeline.
                var outcomes = [await group.next() ?? ""]
                daemon.child.signal(SIGTERM)
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            let ending = await daemon.child.ending()
            #expect(ending.status == 0, "\(ending)")
            // Each is answered: it was judged, or it came after the GoAway and was not begun.
            #expect(outcomes.count == 24)
            #expect(outcomes.allSatisfy { $0 == "accepted" || $0 == "UNAVAILABLE" }, "\(outcomes)")
            await client.close()

            let again = try await TestDaemon(home)
            let second = try await again.connect()
            #expect(try await second.status().store.devices == Int64(outcomes.count { $0 == "accepted" }))
            await second.close()
            #expect(await again.stop().status == 0)
        }

        @Test("The daemon can be stopped as soon as it listens")
        func earlyStop() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid()), roles: [verify], apps: all}]}")
            for _ in 0..<10 {
                let ending = await (try TestDaemon(home)).stop()
                #expect(ending.status == 0, "\(ending)")
                #expect(!FileManager.default.fileExists(atPath: home.folder.file("assay.sock")))
            }
        }

        @Test("A restart keeps devices, counters, spent challenges, and challenges issued before")
        func restart() async throws {
            let home = try TestHome()
            let first = try await TestDaemon(home)
            var client = try await first.connect()
            var phone = home.phone()
            let device = try await phone.register(client).deviceID
            let spent = try await phone.challenge(.assert, client)
            let upload = try phone.upload(spent)
            #expect(try await client.patiently(upload).outcome == "accepted")
            let unspent = try await phone.challenge(.assert, client)
            var repeatable = try phone.upload(try await phone.challenge(.assert, client))
            repeatable.idempotencyKey = Array("upload 7".utf8)
            let original = try await client.patiently(repeatable)
            #expect(original.outcome == "accepted")
            let head = try await client.status().store.auditHead
            await client.close()
            #expect(await first.stop().status == 0)

            let second = try await TestDaemon(home)
            client = try await second.connect()
            let record = try await client.device(keyID: phone.key.keyID, app: phone.app)
            #expect(record.deviceID == device)
            #expect(record.counter == 2)
            let last = try await client.audit().rows.suffix(2)
            #expect(last.first.map { Data($0.head) } == head, "the log goes on where it ended")
            #expect(last.last.flatMap { AuditChange(decoding: $0.record) }?.origin == .start)
            #expect(try await client.patiently(upload).outcome == "counter_not_increasing")
            #expect(try await client.patiently(try phone.upload(spent)).outcome == "challenge_reused")
            let repetition = try await client.patiently(repeatable)
            #expect(repetition.outcome == "accepted")
            #expect(repetition.repeated && !original.repeated)
            #expect(repetition.requestID == original.requestID)
            #expect(try await client.patiently(try phone.upload(unspent)).outcome == "accepted")
            #expect(try await client.device(keyID: phone.key.keyID, app: phone.app).counter > 2)
            await client.close()
            #expect(await second.stop().status == 0)
        }

        @Test("The daemon does not start at a used address, without its key, or with a file in the way")
        func cannotStart() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid()), roles: [observe], apps: all}]}")
            let first = try await TestDaemon(home)
            // With a ledger of its own: that of the first one is locked.
            let text = home.folder.text("assayd.yaml").replacingOccurrences(of: "ledger.sqlite", with: "other.sqlite")
            let beside = try await Child.run("assayd", ["--config", try home.folder.write(text, to: "beside.yaml")])
            #expect(beside.status == 69)
            #expect(beside.err.contains("somebody listens there"))
            let client = try await first.connect("unix")
            #expect(try await client.status().store.available, "the first one goes on")
            await client.close()
            #expect(await first.stop().status == 0)

            let key = home.folder.file("ledger.sqlite.key")
            try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
            let keyless = try await Child.run("assayd", ["--config", home.configuration])
            #expect(keyless.status == 69)
            #expect(keyless.err.contains("restore it"))
            try FileManager.default.moveItem(atPath: key + ".away", toPath: key)

            try home.folder.write("mine", to: "assay.sock")
            let blocked = try await Child.run("assayd", ["--config", home.configuration])
            #expect(blocked.status == 69)
            #expect(blocked.err.contains("a file that is not a socket stands there"))
            #expect(home.folder.text("assay.sock") == "mine")
        }

        static func expect(
            _ code: AssayError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
        ) async {
            do {
                try await body()
                Issue.record("nothing was thrown", sourceLocation: sourceLocation)
            } catch {
                #expect((error as? AssayError)?.code == code, "\(error)", sourceLocation: sourceLocation)
            }
        }
    }
}
