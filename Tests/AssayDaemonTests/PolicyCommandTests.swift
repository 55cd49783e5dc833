import AssayAPI
import AssayClient
import AssayCore
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
            for _ in 0..<200 where new == old {
                try await Task.sleep(for: .milliseconds(100))
                let status = try await client.status()
                new = Hex.encode(status.apps.first { $0.app == "camera" }?.policyDigest ?? Data())
            }
            try #require(new != old)

            let shown = try await assay(daemon, ["policy", "show", String(old.prefix(9)).uppercased()])
            #expect(shown.status == 0, "\(shown.err)")
            #expect(shown.lines.first == "# policy \(old)")
            #expect(shown.lines.contains("app = camera") && shown.lines.contains("binding.payload = optional"))
            #expect(shown.lines.contains("app_attest.identities[\(TestHome.appID)].environments = production"))
            let json = try #require(Self.object(try await assay(daemon, ["policy", "show", new, "--json"]).out))
            #expect(json["in_force"] as? Bool == true && json["digest"] as? String == new)
            #expect((json["text"] as? String)?.contains("binding.payload = required\n") == true)

            let diff = try await assay(daemon, ["policy", "diff", old, new])
            #expect(diff.status == 1)
            #expect(diff.lines == ["- binding.payload = optional", "+ binding.payload = required"])
            let object = try #require(Self.object(try await assay(daemon, ["policy", "diff", old, new, "--json"]).out))
            #expect((object["differences"] as? [[String: Any]])?.map { $0["key"] as? String } == ["binding.payload"])
            let same = try await assay(daemon, ["policy", "diff", old, old])
            #expect(same.status == 0 && same.out.isEmpty)

            let listed = try await assay(daemon, ["policy", "list", "--app", "camera"])
            #expect(listed.lines.count == 2, "\(listed.out)")
            #expect(listed.lines.first?.contains("\(new)  camera  in force") == true)
            #expect(listed.lines.last?.hasSuffix("\(old)  camera") == true)

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
