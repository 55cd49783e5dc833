import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import AssayVendors
@testable import DaemonTesting

extension ProcessTests {
    @Suite("A daemon's revocation list")
    struct RevocationListTests {
        private static let unrelated = #""abc123": {"status": "REVOKED", "reason": "KEY_COMPROMISE"}"#

        private static func list(_ entries: String...) -> String {
            #"{"entries": {\#((Array(entries) + [unrelated]).joined(separator: ", "))}}"#
        }

        /// In Google's form: without leading zeros.
        private static func entry(_ key: AndroidKey, _ status: String) -> String {
            #""\#(Hex.encode(key.device.attestationSerial).drop { $0 == "0" })": {"status": "\#(status)"}"#
        }

        private func upload(_ phone: TestAndroid, _ client: AssayClient) async throws -> Assay_V1_Verdict {
            try await client.patiently(try phone.upload(try await phone.challenge(.assert, client)))
        }

        @Test("The last list is used while it is young enough, and verdicts stop until there is a new one")
        func age() async throws {
            let clock = FixedClock(SystemClock().now())
            let scene = try await GoogleHome(clock)
            try await scene.run { daemon, client in
                let phone = try TestAndroid(scene.home, app: scene.listed)
                await DaemonTests.expect(.unavailable) { _ = try await phone.register(client, at: clock.now()) }
                scene.decoder.publish(Self.list())
                await daemon.attestationStatus.ask()
                let registered = try await phone.register(client, at: clock.now())
                #expect(registered.outcome == "accepted")
                let feed = try #require(registered.feeds.first)
                #expect(registered.feeds.count == 1 && feed.feed == "google-attestation-status")
                #expect(!feed.id.isEmpty && feed.ageMs == 0)

                scene.decoder.publish(nil)
                clock.advance(milliseconds: 3_600_000)
                await daemon.attestationStatus.ask()
                let late = try await upload(phone, client)
                #expect(late.outcome == "accepted" && late.feeds.first?.ageMs == 3_600_000 && late.feeds.first?.id == feed.id)

                clock.advance(milliseconds: 1)
                await daemon.attestationStatus.ask()
                let waiting = try phone.upload(try await phone.challenge(.assert, client))
                let error = await #expect(throws: AssayError.self) { try await client.patiently(waiting) }
                #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable")
                await DaemonTests.expect(.unavailable) {
                    _ = try await TestAndroid(scene.home, app: scene.listed).register(client, at: clock.now())
                }
                // Other apps do not need the list.
                #expect(try await TestAndroid(scene.home).register(client, at: clock.now()).outcome == "accepted")

                scene.decoder.publish(Self.list())
                await daemon.attestationStatus.ask()
                let verdict = try await client.patiently(waiting)
                #expect(verdict.outcome == "accepted", "nothing was spent")
                #expect(verdict.feeds.first?.ageMs == 0)
            }
        }

        @Test("A registered device is refused while its chain is on the list")
        func listed() async throws {
            let clock = FixedClock(SystemClock().now())
            let scene = try await GoogleHome(clock)
            try await scene.run { daemon, client in
                scene.decoder.publish(Self.list())
                await daemon.attestationStatus.ask()
                let (phone, other) = (
                    try TestAndroid(scene.home, app: scene.listed),
                    try TestAndroid(scene.home, level: .strongBox, app: scene.listed)
                )
                for device in [phone, other] {
                    #expect(try await device.register(client, at: clock.now()).outcome == "accepted")
                }
                for status in ["SUSPENDED", "REVOKED", "SOMETHING_NEW"] {
                    scene.decoder.publish(Self.list(Self.entry(phone.key, status)))
                    await daemon.attestationStatus.ask()
                    let refused = try await upload(phone, client)
                    #expect(refused.outcome == "revoked", "\(status)")
                    #expect(refused.claims.contains { $0.name == "revocation_status" && $0.text == status })
                    #expect(try await upload(other, client).outcome == "accepted")
                    // One of two entries is removed: too many for a list that shrinks by itself, and allowed for an operator.
                    _ = try await client.loadFeed(
                        "google-attestation-status", list: Array(Self.list().utf8), asOf: clock.now(), force: true)
                    #expect(try await upload(phone, client).outcome == "accepted", "\(status) was lifted")
                }
            }
        }

        @Test("A list that is loaded tells of the registered devices that it revokes, without an upload")
        func registered() async throws {
            let scene = try await GoogleHome()
            let (name, folder) = ("google-attestation-status", scene.home.folder)
            let daemon = try await TestDaemon(scene.home)
            let client = try await daemon.connect()
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            func assay(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assay", arguments, environment: environment)
            }
            let empty = try folder.write(Self.list(), to: "empty.json")
            #expect(try await assay("feeds", "load", name, empty).status == 0)
            let (phone, other) = (
                try TestAndroid(scene.home, app: scene.listed), try TestAndroid(scene.home, app: scene.listed)
            )
            let device = try #require(
                DeviceID(bytes: Array(try await phone.register(client, at: SystemClock().now()).deviceID)))
            #expect(try await other.register(client, at: SystemClock().now()).outcome == "accepted")
            let good = try await assay("device", "list", "--app", "listed", "--no-longer-good")
            #expect(good.status == 0 && good.out.isEmpty, "\(good)")

            let watching = try Child(
                try Child.built("assay"), ["watch", "--json", "--kind", "device"], environment: environment)
            while !watching.err.contains("{\"note\":\"watching\"}") { try await Task.sleep(for: .milliseconds(20)) }
            let revoking = try folder.write(Self.list(Self.entry(phone.key, "REVOKED")), to: "revoking.json")
            #expect(try await assay("feeds", "load", name, revoking).status == 0)
            while !watching.out.contains("\n") { try await Task.sleep(for: .milliseconds(20)) }
            watching.signal(SIGINT)
            let ending = await watching.ending()
            #expect(ending.lines.count == 1 && ending.out.contains("device.no_longer_good"), "\(ending.out)")
            #expect(ending.out.contains(device.description) && ending.out.contains("revoked"), "\(ending.out)")

            let bad = try await assay("device", "list", "--app", "listed", "--no-longer-good")
            #expect(bad.out.contains(device.description) && bad.out.contains("[no longer good: revoked]"), "\(bad)")
            #expect(bad.out.split(separator: "\n").count == 1)
            let shown = try await assay("device", "get", "--app", "listed", device.description)
            #expect(shown.out.contains("no longer good, its next evidence would be refused: revoked"), "\(shown)")
            let json = try await assay("device", "get", "--app", "listed", device.description, "--json")
            #expect(json.out.contains(#""no_longer_good""#) && json.out.contains(#""revoked""#), "\(json)")
            #expect(try await upload(phone, client).outcome == "revoked")
            await daemon.stop()
            try await scene.google.stop()
        }

        @Test("assay feeds shows, loads and compares the list")
        func commandLine() async throws {
            let scene = try await GoogleHome()
            let (name, folder) = ("google-attestation-status", scene.home.folder)
            let one = try folder.write(Self.list(), to: "one.json")
            let two = try folder.write(Self.list(#""dead": {"status": "SUSPENDED"}"#), to: "two.json")
            let none = try folder.write("<html>", to: "none.json")
            let daemon = try await TestDaemon(scene.home)
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            func feeds(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assay", ["feeds"] + arguments, environment: environment)
            }
            // The daemon asks by itself; here without an answer.
            while scene.google.requests.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            let unknown = try await feeds()
            #expect(unknown.status == 69 && unknown.out.contains("none is known"), "\(unknown)")
            let missing = try await Child.run("assay", ["status", "--check"], environment: environment)
            #expect(
                missing.status == 1 && missing.out.contains("feed_missing: google-attestation-status: no list"), "\(missing)")
            #expect(missing.out.contains("app_unavailable: listed: no verdict on key-attestation.chain"), "\(missing)")
            #expect(try await feeds("diff", name, one).status == 1)

            let loaded = try await feeds("load", name, two)
            #expect(loaded.status == 0 && loaded.out.contains("2 entries"), "\(loaded)")
            let shown = try await feeds("show", name)
            #expect(shown.status == 0 && shown.out.contains("dead SUSPENDED"), "\(shown)")
            #expect(shown.out.contains("abc123 REVOKED KEY_COMPROMISE") && shown.out.contains(scene.google.address))
            let json = try await feeds("show", "--json")
            #expect(json.status == 0 && json.out.contains(#""usable":true"#), "\(json)")
            let same = try await feeds("diff", name, two)
            #expect(same.status == 0 && same.out.isEmpty, "\(same)")
            let differs = try await feeds("diff", name, one)
            #expect(differs.status == 1 && differs.out == "- dead SUSPENDED\n", "\(differs)")
            let offline = try await feeds("diff", "--offline", one, two)
            #expect(offline.status == 1 && offline.out == "+ dead SUSPENDED\n", "\(offline)")

            let checked = try await Child.run("assay", ["status", "--check"], environment: environment)
            #expect(!checked.out.contains("feed_") && !checked.out.contains("app_unavailable"), "\(checked)")
            let odd = try folder.write(Self.list(#""0xdead": {"status": "REVOKED"}"#, #""dead": 7"#), to: "odd.json")
            let served = try await feeds("load", name, odd)
            #expect(served.status == 0 && served.out.contains("2 unreadable, such as \"0xdead\""), "\(served)")
            #expect(try await feeds("show", name).out.contains("dead UNREADABLE"))
            #expect(try await feeds("show", "--json").out.contains(#""unreadable":2"#))
            let status = try await Child.run("assay", ["status"], environment: environment)
            #expect(status.out.contains("2 entries, 2 unreadable, such as \"0xdead\""), "\(status)")
            let shrunken = try await feeds("load", name, one)
            #expect(shrunken.status == 1 && shrunken.err.contains("has shrunk from 2 to 1"), "\(shrunken)")
            #expect(try await feeds("load", name, one, "--force").status == 0)
            let old = try await feeds("load", name, one, "--as-of", "2020-01-01T00:00:00Z")
            #expect(old.status == 1 && old.err.contains("older"), "\(old)")
            let broken = try await feeds("load", name, none)
            #expect(broken.status == 65 && broken.err.hasPrefix("assay: \(none): "), "\(broken)")
            #expect(try await feeds("load", "no-such-list", one).status == 1)
            #expect(try await feeds("diff", "--offline", one, none).status == 65)
            #expect(try await feeds("diff", name, folder.file("nowhere")).status == 65)
            #expect(try await feeds("show", name).out.contains("1 entries"))
            await daemon.stop()
            try await scene.google.stop()
        }
    }
}
