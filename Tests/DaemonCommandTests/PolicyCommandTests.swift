import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Policy commands")
    struct PolicyCommandTests {
        private let home: TestHome
        init() throws { home = try TestHome() }

        private func assay(_ daemon: TestDaemon, _ words: [String]) async throws -> Child.Ending {
            try await Child.run("assay", words, environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "120"])
        }

        private static func object(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }

        @Test("The policy of a verdict is shown by its digest, and that before a reload differs from it by the changed line")
        func showAndDiff() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            let verdict = try await phone.register(client)
            #expect(verdict.outcome == "accepted")
            let old = Hex.encode(verdict.policyDigest)
            let text = home.folder.text("assayd.yaml").replacing(
                "  camera: {", with: "  camera: {binding: {payload: required}, ")
            try home.folder.write(text, to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            var new = old
            try await eventually("the reload is done") {
                let status = try await client.status()
                new = Hex.encode(status.apps.first { $0.app == "camera" }?.policyDigest ?? Data())
                return new != old
            }

            let shown = try await assay(daemon, ["policy", "show", String(old.prefix(9)).uppercased()])
            #expect(shown.status == 0, "\(shown.err)")
            #expect(shown.lines.first == "# policy \(old)")
            #expect(shown.lines.contains("app = camera") && shown.lines.contains("binding.payload = optional"))
            #expect(shown.lines.contains("app_attest.identities[\(TestHome.appID)].environments = production"))
            let json = try #require(Self.object(try await assay(daemon, ["policy", "show", new, "--json"]).out))
            #expect(json["in_force"] as? Bool == true && json["digest"] as? String == new)
            let shownText = try #require(json["text"] as? String)
            #expect(shownText.contains("binding.payload = required\n"))

            let diff = try await assay(daemon, ["policy", "diff", old, new])
            #expect(diff.status == 1)
            #expect(diff.lines == ["- binding.payload = optional", "+ binding.payload = required"])
            let object = try #require(Self.object(try await assay(daemon, ["policy", "diff", old, new, "--json"]).out))
            #expect((object["differences"] as? [[String: Any]])?.map { $0["key"] as? String } == ["binding.payload"])
            let same = try await assay(daemon, ["policy", "diff", old, old])
            #expect(same.status == 0 && same.out.isEmpty)

            let listed = try await assay(daemon, ["policy", "list", "--app", "camera"])
            #expect(listed.lines.count == 2, "\(listed.out)")
            let (newest, oldest) = (try #require(listed.lines.first), try #require(listed.lines.last))
            #expect(newest.contains("\(new)  camera  in force"))
            #expect(oldest.hasSuffix("\(old)  camera"))

            let unknown = try await assay(daemon, ["policy", "show", String(repeating: "0", count: 64)])
            #expect(unknown.status == 1 && unknown.err.contains("no policy with this digest is on record"))
            // Half a byte that differs.
            let digit = old.dropFirst(8).first == "0" ? "1" : "0"
            #expect(try await assay(daemon, ["policy", "show", String(old.prefix(8)) + digit]).status == 1)
            for bad in ["1234567", "not hexadecimal", String(repeating: "0", count: 65)] {
                #expect(try await assay(daemon, ["policy", "show", bad]).status == 64, "\(bad)")
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("What a reload would change is shown app by app, before it")
        func candidate() async throws {
            let daemon = try await TestDaemon(home)
            func diff(_ file: String, _ more: String...) async throws -> Child.Ending {
                try await assay(daemon, ["policy", "diff", "--candidate", file] + more)
            }
            let same = try await diff(home.configuration)
            #expect(same.status == 0 && same.out.contains("no verdict would change"), "\(same)")
            let text = home.folder.text("assayd.yaml")
            let changed = try home.folder.write(
                text.replacing("  camera: {", with: "  camera: {binding: {payload: required}, ").replacing(
                    "  other: {", with: "  new: {"),
                to: "next.yaml")
            let listed = try await diff(changed)
            #expect(listed.status == 1, "\(listed)")
            #expect(
                listed.lines.first?.hasPrefix("camera: ") == true && listed.lines.first?.contains("in the candidate") == true)
            let differences = [
                "  - binding.payload = optional", "  + binding.payload = required", "new: would be new", "other: would be gone",
            ]
            let indented = Array(listed.lines.dropFirst())
            #expect(indented == differences, "\(listed)")
            let alone = try await diff(changed, "--app", "camera", "--json")
            let object = try #require(Self.object(alone.out))
            #expect(alone.status == 1 && object["app"] as? String == "camera" && object["new_digest"] is String)
            #expect((object["differences"] as? [[String: Any]])?.map { $0["key"] as? String } == ["binding.payload"])
            // A reload makes it so, and then nothing differs.
            try home.folder.write(folder(changed), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("nothing differs") { try await diff(changed).status == 0 }

            let broken = try await diff(try home.folder.write("listen: 1", to: "broken.yaml"))
            #expect(broken.status == 2 && broken.err.contains("broken.yaml:1"), "\(broken)")
            #expect(try await diff(changed, "--app", "unknown").status == 2)
            for words in [
                ["--candidate", changed, "8f3c09b2"], ["8f3c09b2"], ["8f3c09b2", "41d0aa17", "--app", "camera"], [],
            ] {
                let wrong = try await assay(daemon, ["policy", "diff"] + words)
                #expect(wrong.status == 64, "\(wrong)")
            }
            #expect(await daemon.stop().status == 0)
        }

        private func folder(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

        @Test("Texts of policies outlive the daemon that wrote them")
        func restart() async throws {
            let first = try await TestDaemon(home)
            let before = try await assay(first, ["policy", "list", "--json"])
            #expect(before.status == 0 && before.lines.count == 2, "\(before.err)")
            #expect(await first.stop().status == 0)
            let second = try await TestDaemon(home)
            #expect(try await assay(second, ["policy", "list", "--json"]).out == before.out)
            #expect(await second.stop().status == 0)
        }
    }
}
