import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// What commands write with `--json` when they fail.
    @Suite("Failures as JSON")
    struct CommandJSONTests {
        @Test("Without a daemon: wrong usage, unreadable input, no connection, an unusable configuration")
        func local() async throws {
            let folder = try TemporaryFolder()
            try folder.write("nonsense", to: "bad.yaml")
            let nowhere = ["--server", "unix:/nowhere/assayd.sock"]
            for (program, words, reason, status) in [
                ("assay", ["device", "list", "--json"], "wrong_usage", 64),
                ("assay", ["device", "lst", "--json"], "wrong_usage", 64),
                ("assay", ["--json", "status", "--sever", "x"], "wrong_usage", 64),
                ("assay", ["device", "list", "--app", "camera", "--limit", "0", "--json"], "wrong_usage", 64),
                ("assay", ["status", "--json"] + nowhere, "connect_failed", 69),
                ("assay", ["ca", "show", folder.file("none"), "--json"], "unreadable_input", 65),
                ("assay", ["anchors", "--json", "--config", folder.file("none.yaml")], "unreadable_input", 65),
                ("assay", ["conformance", "--json", folder.path], "unreadable_input", 65),
                ("assay", ["policy", "test", "--json", folder.file("none.yaml")], "unreadable_input", 2),
                (
                    "assayd", ["backup", folder.file("b"), "--json", "--config", folder.file("bad.yaml")],
                    "configuration_unusable", 65
                ),
                ("assayd", ["migrate", "--json", "--sqlite"], "wrong_usage", 64),
            ] as [(String, [String], String, Int32)] {
                let ending = try await Child.run(program, words)
                #expect(ending.status == status && ending.out.isEmpty, "\(words) \(ending)")
                let error = try ending.failure()
                #expect(error["reason"] as? String == reason, "\(words) \(ending)")
                #expect(error["retry"] as? String == (status == 69 ? "later" : "never"), "\(words) \(ending)")
                #expect((error["code"] as? String) == (status == 69 ? "UNAVAILABLE" : nil), "\(words) \(ending)")
            }
            // Behind the mark it is a word of another kind.
            let text = try await Child.run("assay", ["ca", "show", "--", "--json"])
            #expect(text.status == 65 && text.err.hasPrefix("assay: --json is missing"), "\(text)")
        }
    }
}
