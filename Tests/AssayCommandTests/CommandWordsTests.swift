import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("Words of the command line")
    struct CommandWordsTests {
        private static let nowhere = "unix:/nowhere/assayd.sock"

        @Test(
            "The daemon's address and every other option of calls may stand before the command, between its words, and after it"
        )
        func anywhere() async throws {
            let options = ["--server", Self.nowhere, "--timeout=5", "--retries", "0", "--json"]
            for words in [
                options + ["device", "list", "--app", "camera"], ["device"] + options + ["list", "--app", "camera"],
                ["device", "list", "--app", "camera"] + options, options + ["status"], ["status"] + options,
            ] {
                let ending = try await Child.run("assay", words)
                #expect(ending.status == 69 && ending.err.contains("/nowhere/assayd.sock"), "\(words) \(ending)")
            }
            // These files are looked for; there are none.
            let files = [
                "--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c", "--server-name", "d", "--server", "tls:127.0.0.1:1",
            ]
            for words in [files + ["status"], ["status"] + files] {
                let ending = try await Child.run("assay", words)
                #expect(ending.status == 65, "\(words) \(ending)")
            }
            // The option beside the command counts.
            let twice = try await Child.run("assay", ["--server", "unix:/a", "status", "--server", Self.nowhere])
            #expect(twice.err.contains("/nowhere/"), "\(twice)")
        }

        @Test("The daemon's configuration may stand before or after a command")
        func daemon() async throws {
            let folder = try TemporaryFolder()
            let path = folder.file("no.yaml")
            for words in [
                ["--config", path], ["-c", path], ["--config=\(path)", "run"], ["run", "--config", path],
                ["-c", path, "new-ledger"], ["--config", path, "backup", folder.file("backup.db")],
                ["backup", folder.file("backup.db"), "-c", path],
            ] {
                let ending = try await Child.run("assayd", words)
                #expect(ending.status == 65 && ending.err.contains("no.yaml: cannot be read"), "\(words) \(ending)")
            }
        }

        @Test("A misspelt command or option gets the nearest one, and wrong usage stays 64")
        func suggestions() async throws {
            for (product, words, answer) in [
                ("assay", ["statsu"], "'statsu' is not a command of 'assay'. Did you mean 'status'?"),
                ("assay", ["--server", Self.nowhere, "verfiy"], "Did you mean 'verify'?"),
                (
                    "assay", ["device", "lst", "--app", "camera"],
                    "'lst' is not a command of 'assay device'. Did you mean 'list'?"
                ),
                ("assay", ["audit", "exprot"], "Did you mean 'export'?"),
                (
                    "assay", ["frobnicate"],
                    "'frobnicate' is not a command of 'assay'. Its commands are: init, challenge, verify, "
                ),
                ("assay", ["status", "--sever", "x"], "Did you mean '--server'?"),
                ("assay", ["--sever", "x", "status"], "Unknown option '--sever'. Did you mean '--server'?"),
                ("assayd", ["bakcup", "x"], "'bakcup' is not a command of 'assayd'. Did you mean 'backup'?"),
                ("assayd", ["check-confg", "x"], "Did you mean 'check-config'?"),
            ] {
                let ending = try await Child.run(product, words)
                #expect(ending.status == 64 && ending.out.isEmpty, "\(words) \(ending)")
                #expect(ending.err.hasPrefix("Error: ") && ending.err.contains(answer), "\(words) \(ending)")
            }
        }

        @Test("An argument of a default command is not taken for a misspelt one, and help works before and after")
        func arguments() async throws {
            let device = try await Child.run(
                "assay", ["device", "dev_" + String(repeating: "0", count: 32), "--app", "camera", "--server", Self.nowhere])
            #expect(device.status == 69, "\(device)")
            for words in [
                ["help", "device", "list"], ["--server", Self.nowhere, "help", "device", "list"], ["device", "list", "--help"],
            ] {
                let help = try await Child.run("assay", words)
                #expect(help.status == 0 && help.out.contains("USAGE: assay device list"), "\(words) \(help)")
            }
            for shell in ["bash", "zsh", "fish"] {
                let script = try await Child.run("assay", ["--generate-completion-script", shell])
                #expect(script.status == 0 && script.out.contains("device"), "\(script.err)")
            }
        }
    }
}
