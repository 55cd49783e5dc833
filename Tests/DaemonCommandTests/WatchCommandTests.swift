import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("The command watch")
    struct WatchCommandTests {
        private let home: TestHome

        init() throws { home = try TestHome() }

        private func watch(_ address: String, _ words: [String]) throws -> Child {
            try Child(
                try Child.built("assay"), ["watch"] + words, environment: ["ASSAY_SERVER": address, "COLUMNS": "120"])
        }

        private static func object(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }

        @Test("watch prints an object for each event that its filters select, and ends with 0 when it is stopped")
        func lines() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let watching = try watch(try daemon.address("tcp"), ["--json", "--kind", "verdict", "--kind", "change.block"])
            try await eventually("the command watches") { watching.err.contains("{\"note\":\"watching\"}") }
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            var request = try phone.upload(try await phone.challenge(.assert, client))
            request.binding = .clientData(payloadHash: ClientData.payloadHash(Array("another photo".utf8)))
            let rejected = try await client.patiently(request)
            let device = try #require(DeviceID(bytes: Array(rejected.deviceID)))
            _ = try await client.block(.device(device), app: try #require(AppID("camera")), reason: "stolen by Anna")
            try await eventually("three lines") { watching.out.split(separator: "\n").count >= 3 }
            watching.signal(SIGINT)
            let ending = await watching.ending()
            #expect(ending.status == 0, "\(ending.err)")
            let events = ending.lines.compactMap(Self.object)
            let kinds = events.compactMap { $0["kind"] as? String }
            #expect(kinds == ["verdict.accepted", "verdict.rejected", "change.block"])
            #expect(events.dropFirst().first?["code"] as? String == "bad_signature")
            #expect(events.dropFirst().first?["request_id"] as? String == Hex.encode(rejected.requestID))
            #expect(events.last?["device_id"] as? String == device.description)
            #expect(!ending.out.contains("Anna"))
        }

        @Test("watch without --json prints a line for people")
        func people() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let watching = try watch(try daemon.address("tcp"), [])
            try await eventually("the command watches") { watching.err.contains("assay: watching") }
            let phone = home.phone()
            let verdict = try await phone.register(client)
            #expect(verdict.outcome == "accepted")
            try await eventually("a line") { watching.out.contains("verdict.accepted") }
            let (app, device) = (phone.app, try #require(DeviceID(bytes: Array(verdict.deviceID))))
            let flag = try await client.flag(device, "farm", app: app, reason: "of Anna")
            try await eventually("a line of the flag") { watching.out.contains("change.flag_set") }
            watching.signal(SIGTERM)
            let ending = await watching.ending()
            #expect(ending.status == 0)
            let line = try #require(ending.lines.first)
            #expect(line.contains("  verdict.accepted    camera  assurance secure_element  loopback-demo  "), "\(line)")
            #expect(line.contains("[simulated]  dev_"))
            let flagged = try #require(ending.lines.dropFirst().first)
            let until = Timestamp(unixMilliseconds: flag.untilUnixMs)
            #expect(
                flagged.contains("  change.flag_set     camera  loopback-demo  farm  until \(until)  audit record "),
                "\(flagged)")
            #expect(flagged.hasSuffix("  \(device)") && !flagged.contains("Anna"), "\(flagged)")
        }

        @Test("watch connects again when the daemon was started again, and says that it does not know what it missed")
        func restart() async throws {
            let home = try TestHome(listen: ["tcp: 127.0.0.1:0", "unix: assayd.sock"], callers: "{loopback_demo: true}")
            let first = try await TestDaemon(home, addresses: 2)
            let address = try first.address("unix")
            let watching = try watch(address, ["--json"])
            try await eventually("the command watches") { watching.err.contains("{\"note\":\"watching\"}\n") }
            _ = await first.stop()
            try await eventually("the end is told") { watching.err.contains("shutting_down") }
            let second = try await TestDaemon(home, addresses: 2)
            try await eventually("the command watches again") {
                watching.err.contains("watching again; the daemon does not know what was missed")
            }
            let phone = home.phone()
            #expect(try await phone.register(try await second.connect()).outcome == "accepted")
            try await eventually("an event of the second daemon") { watching.out.contains("verdict.accepted") }
            watching.signal(SIGINT)
            #expect(await watching.ending().status == 0)
        }

        @Test("watch refuses a kind that does not exist, and a caller without the role")
        func refusals() async throws {
            let daemon = try await TestDaemon(home)
            let unknown = try await Child.run(
                "assay", ["watch", "--kind", "verdict.refused"], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            #expect(unknown.status == 64 && unknown.err.contains("Did you mean \"verdict.rejected\"?"), "\(unknown)")
            let odd = try await Child.run(
                "assay", ["watch", "--kind", "weather"], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            #expect(odd.status == 65 && odd.err.contains("kinds must have kinds of events"), "\(odd)")
        }
    }
}
