import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// Options that take a duration take it as the configuration does.
    @Suite("Durations of options")
    struct CommandDurationTests {
        @Test("Every option of a duration refuses what is none, and names what it takes")
        func refused() async throws {
            for words in [
                ["status", "--timeout", "5min"], ["status", "--timeout", "0s"], ["status", "--timeout", "2h"],
                ["status", "--timeout", "-1"], ["challenge", "--app", "a", "--purpose", "assert", "--ttl", "0"],
                ["top", "--interval", "10ms"], ["key", "create", "a", "--role", "verify", "--lifetime", "30"],
                ["key", "create", "a", "--role", "verify", "--lifetime", "0d"],
                ["key", "create", "a", "--role", "verify", "--lifetime", "30d", "--days", "30"],
                ["ca", "init", "/nowhere", "--validity", "30"], ["ca", "init", "/nowhere", "--validity", "40000d"],
                ["ca", "init", "/nowhere", "--root-validity", "10d"], ["ca", "crl", "/nowhere", "--validity", "1.5d"],
                ["verdicts", "list", "--since", "15"], ["enrol", "add", "--app", "a", "--serial", "1", "--expires", "30"],
                ["device", "flag", "--app", "a", "dev_" + String(repeating: "0", count: 32), "farm", "--expires", "0d"],
            ] {
                let ending = try await Child.run("assay", words)
                #expect(ending.status == 64, "\(words) \(ending)")
            }
            let help = try await Child.run("assay", ["key", "create", "--help"], environment: ["COLUMNS": "200"])
            #expect(help.out.contains("--lifetime <duration>") && !help.out.contains("--days"), "\(help.out)")
            let status = try await Child.run("assay", ["status", "--help"], environment: ["COLUMNS": "200"])
            #expect(status.out.contains("a number alone is seconds. (default: 10s)"), "\(status.out)")
        }

        @Test("A CA and a root list are valid for the duration, and the earlier names take days")
        func authorities() async throws {
            let folder = try TemporaryFolder()
            for (name, words) in [
                ("a", ["--validity", "240h", "--root-validity", "20d"]), ("b", ["--days", "10", "--root-days", "20"]),
            ] {
                let ca = folder.file(name)
                let made = try await Child.run("assay", ["ca", "init", ca] + words)
                #expect(made.status == 0, "\(made)")
                let shown = try await Child.run("assay", ["ca", "show", ca, "--json"])
                var days: Set<Int> = []
                for line in shown.lines {
                    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                    let texts = line.matches(of: /"not_(before|after)":"([^"]+)"/).compactMap {
                        Timestamp(rfc3339: String($0.2))
                    }
                    #expect(!texts.isEmpty, "\(object)")
                    if let first = texts.min(), let last = texts.max() {
                        days.insert(Int((last.milliseconds(since: first) + 43_200_000) / 86_400_000))
                    }
                }
                #expect(days.contains(20), "\(days) \(shown)")
            }
        }
    }
}
