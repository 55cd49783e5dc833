import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// What a command line that cannot be used is answered with.
    @Suite("Mistakes on the command line")
    struct CommandMistakeTests {
        private static let nowhere = "unix:/nowhere/assayd.sock"

        /// The words of every command, those that have commands below them too.
        private func commands(of program: String) async throws -> [[String]] {
            struct Command: Decodable {
                let commandName: String
                let subcommands: [Command]?

                func words(below path: [String]) -> [[String]] {
                    [path]
                        + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap {
                            $0.words(below: path + [$0.commandName])
                        }
                }
            }
            struct Dump: Decodable { let command: Command }
            let dump = try await Child.run(program, ["--experimental-dump-help"])
            return try JSONDecoder().decode(Dump.self, from: Data(dump.out.utf8)).command.words(below: [])
        }

        @Test(
            "An unknown option is named before anything that is missing, with the usage of its own command, no line wider than 100",
            arguments: ["assay", "assayd"])
        func unknownOption(_ program: String) async throws {
            let commands = try await commands(of: program)
            #expect(commands.count > (program == "assay" ? 60 : 8), "\(commands)")
            for words in commands {
                let ending = try await Child.run(program, words + ["--no-such-option"], environment: ["COLUMNS": "200"])
                #expect(ending.status == 64 && ending.out.isEmpty, "\(words) \(ending)")
                #expect(ending.err.hasPrefix("Error: Unknown option '--no-such-option'"), "\(words) \(ending)")
                let name = ([program] + words).joined(separator: " ")
                #expect(ending.err.contains("Usage: \(name)"), "\(words) \(ending)")
                #expect(ending.err.contains("  See '\(name)"), "\(words) \(ending)")
                #expect(ending.err.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(words) \(ending)")
            }
        }

        @Test("A word that a default command could take, and that is near a command or means one, is answered with it")
        func defaultCommands() async throws {
            let device = "dev_" + String(repeating: "0", count: 32)
            for (words, answer, usage) in [
                (["feeds", "shwo"], "'shwo' is not a command of 'assay feeds'. Did you mean 'show'?", "assay feeds"),
                (["plugin", "quarantine", "lits"], "Did you mean 'list'?", "assay plugin quarantine"),
                (["plugin", "quarantine", "relase", "AA"], "Did you mean 'release'?", "assay plugin quarantine"),
                (["cert", "lst", "--app", "camera"], "Did you mean 'list'?", "assay cert"),
                (["enrol", "lsit"], "Did you mean 'list'?", "assay enrol"),
                (["crl", "gte"], "Did you mean 'get'?", "assay crl"),
                (["device", "show", device, "--app", "camera"], "Did you mean 'get'?", "assay device"),
                (["device", "ls", "--app", "camera"], "Did you mean 'list'?", "assay device"),
                (["device", "frobnicate", "--app", "camera"], "Its commands are: get, list, ", "assay device"),
                (["key", "delete"], "Did you mean 'revoke'?", "assay key"),
            ] {
                let ending = try await Child.run("assay", words + ["--server", Self.nowhere])
                #expect(ending.status == 64 && ending.err.hasPrefix("Error: "), "\(words) \(ending)")
                #expect(ending.err.contains(answer) && ending.err.contains("Usage: \(usage) "), "\(words) \(ending)")
            }
        }

        @Test("Wrong usage that only the command finds has the command's usage, not the program's")
        func usageOfTheCommand() async throws {
            for (words, usage) in [
                (["device", "list", "--app", "camera", "--limit", "0"], "assay device list "),
                (["device", "--app", "camera"], "assay device get "),
                (["cert", "revoke", "--app", "camera", "01"], "assay cert revoke "),
                (["device", "forget", "--app", "camera", "dev_" + String(repeating: "0", count: 32)], "assay device forget "),
            ] {
                let ending = try await Child.run("assay", words + ["--server", Self.nowhere])
                #expect(ending.status == 64 && ending.err.contains("Usage: \(usage)"), "\(words) \(ending)")
            }
            let user = try await Child.run("assayd", ["check-config", "--user", "no-such-user-here", "x.yaml"])
            #expect(user.status == 64 && user.err.contains("Usage: assayd check-config "), "\(user)")
        }

        @Test("A misspelt word of an option gets the nearest one")
        func values() async throws {
            for (words, answer) in [
                (
                    ["cert", "list", "--app", "camera", "--state", "revokd"],
                    "'revokd' is invalid for '--state <state>'. Did you mean 'revoked'?"
                ),
                (["challenge", "--app", "camera", "--purpose=asert"], "Did you mean 'assert'?"),
                (["watch", "--kind", "verdict.rejectd"], "Did you mean \"verdict.rejected\"?"),
                (["watch", "--reason", "devce_blocked"], "Did you mean \"device_blocked\"?"),
                (["key", "create", "uploads", "--role", "verfy"], "Did you mean \"verify\"?"),
                (
                    ["simulate", "android", "session", "x", "--app", "camera", "--refusal", "untrusted_rot"],
                    "Did you mean 'untrusted_root'?"
                ),
            ] {
                let ending = try await Child.run("assay", words)
                #expect(ending.status == 64 && ending.err.contains(answer), "\(words) \(ending)")
            }
        }

        @Test("Every command that a page names exists")
        func pages() async throws {
            let known = ["assay": Set(try await commands(of: "assay")), "assayd": Set(try await commands(of: "assayd"))]
            let folders = ["docs", "plugins", "deploy", "examples"].map { Package.path($0) }
            let files = folders.flatMap { folder in
                (FileManager.default.enumerator(atPath: folder)?.compactMap { ($0 as? String).map { "\(folder)/\($0)" } } ?? [])
                    .filter { $0.hasSuffix(".md") && !$0.contains("/decisions/") }
            }
            var named: Set<[String]> = []
            for file in files + [Package.path("README.md"), Package.path("CONTRIBUTING.md")] {
                let text = try String(contentsOfFile: file, encoding: .utf8)
                // Between marks of code, and at the beginning of lines of code.
                for match in text.matches(of: /(?m)(?:`|^|&& |\$\()(assayd?)((?: [a-z][a-z-]*)+)(?=[ `\n])/) {
                    let commands = try #require(known[String(match.1)])
                    var path: [String] = []
                    for word in match.2.split(separator: " ").map(String.init) {
                        guard commands.contains(path + [word]) else {
                            // Below a command without others it is an argument.
                            #expect(
                                !path.isEmpty && !commands.contains { $0.count > path.count && $0.starts(with: path) },
                                "\(file): \(match.0)")
                            break
                        }
                        path.append(word)
                    }
                    named.insert([String(match.1)] + path)
                }
            }
            #expect(named.count > 60, "\(named)")
        }
    }
}
