import AssayCore
import Foundation
import Testing

extension ProcessTests {
    /// What commands write with `--json` when they fail.
    @Suite("Failures as JSON")
    struct CommandJSONTests {
        /// The object of the only line on standard error.
        private func failure(_ ending: Child.Ending) throws -> [String: Any] {
            let lines = ending.err.split(separator: "\n")
            try #require(lines.count == 1, "\(ending)")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(ending.err.utf8)) as? [String: Any])
            try #require(Array(object.keys) == ["error"], "\(ending)")
            let error = try #require(object["error"] as? [String: Any])
            #expect(error["exit_status"] as? Int32 == ending.status, "\(ending)")
            #expect(error["message"] is String && error["reason"] is String && error["retry"] is String, "\(ending)")
            return error
        }

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
                let error = try failure(ending)
                #expect(error["reason"] as? String == reason, "\(words) \(ending)")
                #expect(error["retry"] as? String == (status == 69 ? "later" : "never"), "\(words) \(ending)")
                #expect((error["code"] as? String) == (status == 69 ? "UNAVAILABLE" : nil), "\(words) \(ending)")
            }
            // Behind the mark it is a word of another kind.
            let text = try await Child.run("assay", ["ca", "show", "--", "--json"])
            #expect(text.status == 65 && text.err.hasPrefix("assay: --json is missing"), "\(text)")
        }

        @Test("With a daemon: what it refuses, and what it has not")
        func calls() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid()), roles: [verify, devices], apps: all}]}")
            let daemon = try await TestDaemon(home)
            let server = ["--server", try daemon.address("unix"), "--json"]
            let unknown = "dev_" + String(repeating: "0", count: 32)
            for (words, code, reason, retry, status) in [
                (["status"], "PERMISSION_DENIED", "permission_denied", "contact_operator", 77),
                (["device", "get", unknown, "--app", "camera"], "NOT_FOUND", "unknown_device", "never", 1),
                (
                    ["challenge", "--app", "camera", "--purpose", "assert", "--ttl", "2h"], "INVALID_ARGUMENT",
                    "invalid_request", "never", 65
                ),
                (["cert", "list", "--app", "camera", "--state", "good"], nil, nil, nil, 0),
            ] as [([String], String?, String?, String?, Int32)] {
                let ending = try await Child.run("assay", words + server)
                #expect(ending.status == status && ending.out.isEmpty, "\(words) \(ending)")
                guard let code else {
                    #expect(ending.err.isEmpty)
                    continue
                }
                let error = try failure(ending)
                #expect(error["code"] as? String == code && error["reason"] as? String == reason, "\(ending)")
                #expect(error["retry"] as? String == retry, "\(ending)")
            }
            let unblocked = try await Child.run(
                "assay", ["device", "unblock", "--app", "camera", "--subject", "anna"] + server)
            #expect(unblocked.status == 1 && unblocked.out.contains("\"was_blocked\" : false"), "\(unblocked)")
            #expect(try failure(unblocked)["reason"] as? String == "no_such_block")
            #expect(await daemon.stop().status == 0)
        }
    }
}
