import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayRPC
import AssayTesting
import AssayVendors
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayDaemon
@testable import AssayService
@testable import DaemonTesting

extension ProcessTests {
    /// Webhooks against a receiver over loopback whose verification is the code of the page.
    @Suite("Webhooks", .enabled(if: Python.path != nil))
    struct WebhookTests {
        private static let secret = [UInt8]("a secret of a webhook, 32 bytes.".utf8)
        private static var text: String { "whsec_" + Data(secret).base64EncodedString() }

        /// A receiver's process.
        private struct Receiver {
            let child: Child
            let port: Int

            init(_ answers: String, port: Int = 0) async throws {
                let child = try Child(
                    try #require(Python.path),
                    ["-B", Package.path("deploy/tests/webhook_receiver.py"), WebhookTests.text, answers, "\(port)"])
                var found: Int?
                _ = await eventually {
                    // The line may be incomplete.
                    found = child.out.contains("\n") ? child.out.split(separator: "\n").first.flatMap { Int($0) } : nil
                    return found != nil || !child.isRunning
                }
                (self.child, self.port) = (child, try #require(found, "\(child.err)"))
            }

            var requests: [[String: Any]] {
                child.out.split(separator: "\n").dropFirst().compactMap {
                    (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
                }
            }

            func end() async {
                child.signal(SIGKILL)
                _ = await child.ending()
            }
        }

        private let folder: TemporaryFolder
        private let hub = WatchHub(clock: SystemClock())

        init() throws { folder = try TemporaryFolder() }

        private func rule(_ port: Int, _ change: (inout WebhookRule) -> Void = { _ in }) throws -> WebhookRule {
            var rule = WebhookRule(
                name: "pager", address: try #require(VendorAddress("http://127.0.0.1:\(port)/hook", allowsPlainLoopback: true)),
                secrets: [Self.secret], filter: WatchFilter(kinds: ["change"]),
                settings: VendorSettings(connectMilliseconds: 30_000, totalMilliseconds: 30_000), attempts: 5, waiting: 1000,
                deadLetters: folder.file("dead.jsonl"), deadLetterBytes: 1 << 20)
            rule.backoff = Backoff(first: 20, cap: 3000)
            change(&rule)
            return rule
        }

        private func publish(_ count: Int = 1) {
            for number in 0..<count {
                hub.publish([
                    WatchEvent(
                        .configurationLoad([UInt8](repeating: 0, count: 32), version: "1", by: .signal), number: Int64(number),
                        at: SystemClock().now())
                ])
            }
        }

        /// Runs a service until the work is done, then ends it as a stop of the daemon does.
        private func run(_ rules: [WebhookRule], _ work: (WebhookService) async throws -> Void) async throws {
            let service = WebhookService(hub: hub, clock: SystemClock(), logger: .silent)
            try service.prepare(rules)()
            let task = Task { await service.run() }
            do { try await work(service) } catch {
                task.cancel()
                throw error
            }
            task.cancel()
            await task.value
        }

        @Test("an event arrives signed, as code that is not ours verifies, and once")
        func delivery() async throws {
            let receiver = try await Receiver("200")
            try await run([try rule(receiver.port) { $0.secrets.append([UInt8](repeating: 7, count: 24)) }]) { service in
                publish()
                try await eventually("a request") { receiver.requests.count == 1 }
                let request = try #require(receiver.requests.first)
                #expect(request["genuine"] as? Bool == true && request["signatures"] as? Int == 2)
                #expect(request["type"] as? String == "assay.events" && request["version"] as? Int == 1)
                #expect(request["kinds"] as? [String] == ["change.configuration_load"] && request["path"] as? String == "/hook")
                try await eventually("it is counted") { service.webhooks().first?.delivered == 1 }
                let shown = try #require(service.webhooks().first)
                #expect(shown.state == .delivering && shown.deliveredEvents == 1 && shown.deadLetters == 0)
                #expect(shown.host == "http://127.0.0.1:\(receiver.port)", "the path may be a secret")
                #expect(!shown.debugDescription.contains("secret of a webhook"))
            }
            await receiver.end()
        }

        @Test("failures are repeated under one id, not before Retry-After says, and redirects are not followed")
        func retries() async throws {
            let receiver = try await Receiver("500,302,429/1,200")
            try await run([try rule(receiver.port)]) { service in
                publish()
                try await eventually("four attempts") { receiver.requests.count == 4 }
                try await eventually("it is delivered") { service.webhooks().first?.delivered == 1 }
                let requests = receiver.requests
                let ids = Set(requests.compactMap { $0["id"] as? String })
                #expect(ids.count == 1)
                #expect(requests.allSatisfy { $0["genuine"] as? Bool == true && $0["path"] as? String == "/hook" })
                let shown = try #require(service.webhooks().first)
                #expect(shown.failedAttempts == 3 && shown.state == .delivering && shown.failingSinceUnixMs == 0)
            }
            await receiver.end()
        }

        @Test("410 ends a webhook: what waits is a dead letter, what comes later is dropped, and resend begins again")
        func gone() async throws {
            let receiver = try await Receiver("410,200")
            try await run([try rule(receiver.port)]) { service in
                publish()
                try await eventually("it is gone") { service.webhooks().first?.state == .gone }
                publish(3)
                try await eventually("later events are dropped") { service.webhooks().first?.droppedEvents == 3 }
                #expect(receiver.requests.count == 1 && service.webhooks().first?.deadLetters == 1)
                #expect(try service.resend("pager") == 1 && service.resend("other") == nil)
                try await eventually("the dead letter is delivered") { service.webhooks().first?.deadLetters == 0 }
                try await eventually("it goes on") { service.webhooks().first?.state == .delivering }
                let ids = Set(receiver.requests.compactMap { $0["id"] as? String })
                #expect(ids.count == 1)
            }
            await receiver.end()
        }

        @Test("a slow receiver does not delay another one")
        func slow() async throws {
            let (slow, fast) = (try await Receiver("slow"), try await Receiver("200"))
            let rules = [
                try rule(slow.port) {
                    ($0.name, $0.deadLetters) = ("slow", folder.file("slow.jsonl"))
                    $0.settings = VendorSettings(connectMilliseconds: 1000, totalMilliseconds: 2000)
                },
                try rule(fast.port),
            ]
            try await run(rules) { service in
                publish()
                try await eventually("the fast one has its event") { fast.requests.count == 1 }
                #expect(service.webhooks().first { $0.name == "slow" }?.delivered == 0)
                try await eventually("the slow one is said to fail") {
                    service.webhooks().first { $0.name == "slow" }?.state == .failing
                }
            }
            await slow.end()
            await fast.end()
        }

        @Test("what waits at a stop is a dead letter of mode 0600, and is sent again after a restart under its id")
        func stop() async throws {
            let closed = try await Receiver("200")
            await closed.end()
            try await run([try rule(closed.port) { $0.backoff = Backoff(first: 60_000, cap: 60_000) }]) { service in
                publish(250)
                try await eventually("it fails") { service.webhooks().first?.state == .failing }
                #expect(service.webhooks().first?.problem.contains("127.0.0.1") == true)
            }
            let path = folder.file("dead.jsonl")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let letters = folder.text("dead.jsonl").split(separator: "\n")
            #expect(letters.count >= 3)
            let receiver = try await Receiver("200", port: closed.port)
            try await run([try rule(receiver.port)]) { service in
                #expect(service.webhooks().first?.deadLetters == UInt32(letters.count))
                #expect(try service.resend("pager") == letters.count)
                try await eventually("all are delivered") { service.webhooks().first?.deadLetters == 0 }
                let events = receiver.requests.flatMap { $0["kinds"] as? [String] ?? [] }
                #expect(events.count == 250 && receiver.requests.allSatisfy { $0["genuine"] as? Bool == true })
            }
            await receiver.end()
        }

        @Test("attempts end at their limit, and more events than may wait go to the dead letters")
        func limits() async throws {
            let receiver = try await Receiver("500")
            try await run([try rule(receiver.port) { ($0.attempts, $0.waiting) = (2, 100) }]) { service in
                publish(1)
                try await eventually("it is given up") { service.webhooks().first?.deadLetters == 1 }
                publish(500)
                try await eventually("the oldest go") { (service.webhooks().first?.deadLetters ?? 0) >= 4 }
                #expect((service.webhooks().first?.waiting ?? .max) <= 200)
            }
            await receiver.end()
        }

        @Test("a full dead-letter file drops its oldest, and says how many events; lines that are none are passed over")
        func deadLetters() throws {
            let path = folder.file("full.jsonl")
            try Data(#"{"id":"msg_half"#.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let file = DeadLetterFile(path, limit: 20_000)
            for number in 0..<100 {
                file.append(
                    .init(
                        delivery: WebhookDelivery(
                            id: "msg_\(number)", createdAt: SystemClock().now(), body: [UInt8](repeating: 0x61, count: 1000),
                            events: 2), reason: "no answer"))
            }
            let letters = try file.letters()
            #expect(letters.last?.delivery.id == "msg_99" && letters.count < 20 && letters.count > 10)
            #expect(file.report.droppedEvents == UInt64(2 * (100 - letters.count)) && file.report.problem == nil)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect((size ?? .max) <= 20_000)
            file.remove("msg_99")
            #expect(try file.letters().last?.delivery.id == "msg_98")
            #expect(DeadLetterFile(path, limit: 20_000).report.letters == letters.count - 1, "after a restart")
        }

        @Test("a dead-letter file that became empty takes letters again, and so does one with lines that are none")
        func emptied() throws {
            let path = folder.file("emptied.jsonl")
            let letter = DeadLetterFile.Letter(
                delivery: WebhookDelivery(
                    id: "msg_1", createdAt: Timestamp(unixMilliseconds: 0), body: [0x61], events: 1), reason: "no answer")
            for content in ["", "\n", "no letter\n", "no letter"] {
                try Data(content.utf8).write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                let file = DeadLetterFile(path, limit: 20_000)
                #expect(file.report == DeadLetterFile.Report(), "\(content)")
                for _ in 0..<2 {
                    file.append(letter)
                    #expect(try file.letters() == [letter] && file.report.problem == nil && file.report.droppedEvents == 0)
                    file.remove("msg_1")
                    #expect(try file.letters().isEmpty && file.report.problem == nil)
                }
            }
        }

        @Test("a dead-letter file that others can read, or that is a link, is not used, and the status says why")
        func unusable() throws {
            let path = folder.file("open.jsonl")
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let wide = DeadLetterFile(path, limit: 20_000)
            #expect(wide.report.problem?.contains("0600") == true)
            #expect(throws: DeadLetterError.self) { try wide.letters() }
            let link = folder.file("link.jsonl")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(DeadLetterFile(link, limit: 20_000).report.problem?.contains("cannot be opened") == true)
        }

        @Test("a reload keeps webhooks that did not change, and ends the others")
        func reload() async throws {
            let receiver = try await Receiver("200")
            try await run([try rule(receiver.port)]) { service in
                publish()
                try await eventually("it is delivered") { service.webhooks().first?.delivered == 1 }
                try service.prepare([try rule(receiver.port)])()
                #expect(service.webhooks().first?.delivered == 1, "its counts go on")
                try service.prepare([try rule(receiver.port) { $0.filter = WatchFilter(kinds: ["device"]) }])()
                #expect(service.webhooks().first?.delivered == 0)
                try service.prepare([])()
                #expect(service.webhooks().isEmpty)
            }
            await receiver.end()
        }

        @Test("the daemon sends rejections and changes to the webhooks of its configuration, and resend is audited")
        func daemon() async throws {
            let receiver = try await Receiver("500,500,200")
            let home = try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
                more:
                    "webhooks: {pager: {url: 'http://127.0.0.1:\(receiver.port)/a', secret: pager.secret, events: [verdict.rejected, change], max_attempts: 2}}"
            )
            let secret = try home.folder.write(Self.text + "\n", to: "pager.secret")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            #expect(try await phone.register(client).outcome != "accepted")
            try await eventually("it is given up") { try await client.webhooks().first?.deadLetters ?? 0 > 0 }
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            let listed = try await Child.run("assay", ["webhooks", "list"], environment: environment)
            #expect(listed.status == 0 && listed.out.contains("pager  http://127.0.0.1:\(receiver.port)  failing"), "\(listed)")
            let resent = try await Child.run("assay", ["webhooks", "resend", "pager"], environment: environment)
            #expect(resent.status == 0 && resent.out.contains("sent again"), "\(resent)")
            try await eventually("a request is taken") { receiver.requests.contains { $0["answer"] as? String == "200" } }
            let audit = try await Child.run("assay", ["audit", "tail", "--json"], environment: environment)
            #expect(audit.out.contains(#""change":"webhook_resend""#) && audit.out.contains(#""webhook":"pager""#))
            let unknown = try await Child.run("assay", ["webhooks", "resend", "other"], environment: environment)
            #expect(unknown.status == 1)
            let ending = await daemon.stop()
            #expect(ending.status == 0 && !ending.err.contains(Self.text) && !ending.err.contains("/a "))
            #expect(receiver.requests.allSatisfy { $0["genuine"] as? Bool == true })
            await receiver.end()
        }
    }
}
