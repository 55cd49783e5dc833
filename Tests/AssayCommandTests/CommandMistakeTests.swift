import Foundation
import Testing

@testable import AssayCommandLine
@testable import DaemonTesting

extension CommandTests {
    /// What a command line that cannot be used is answered with.
    @Suite("Mistakes on the command line")
    struct CommandMistakeTests {
        private static let nowhere = "unix:/nowhere/assayd.sock"

        /// The words of every command, those that have commands below them too.
        private func commands(of program: Program) throws -> [[String]] {
            func words(_ command: CommandDescription, below path: [String]) -> [[String]] {
                [path]
                    + (command.subcommands ?? []).filter { $0.commandName != "help" }.flatMap {
                        words($0, below: path + [$0.commandName])
                    }
            }
            return words(try program.described(), below: [])
        }

        @Test(
            "An unknown option is named before anything that is missing, with the usage of its own command, no line wider than 100",
            arguments: Program.allCases)
        func unknownOption(_ program: Program) async throws {
            let commands = try commands(of: program)
            #expect(commands.count > (program == .assay ? 60 : 8), "\(commands)")
            var texts: [[String]: String] = [:]
            for words in commands {
                let answer = await program.answer(to: words + ["--no-such-option"])
                guard case .failure(let failure, let text) = answer else {
                    Issue.record("\(words) is not refused: \(String(describing: answer))")
                    continue
                }
                texts[words] = text
                #expect(failure.exitStatus == 64 && failure.reason == "wrong_usage", "\(words) \(failure)")
                #expect(text.hasPrefix("Error: Unknown option '--no-such-option'"), "\(words) \(text)")
                let name = ([program.rawValue] + words).joined(separator: " ")
                #expect(text.contains("Usage: \(name)"), "\(words) \(text)")
                #expect(text.contains("  See '\(name)"), "\(words) \(text)")
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(words) \(text)")
            }
            // The program itself, without a command, with one and with the longest.
            for words in [commands.first, commands.last, commands.max { $0.count < $1.count }].compactMap(\.self) {
                let ending = try await program.run(words + ["--no-such-option"], columns: 200)
                #expect(ending.status == 64 && ending.out.isEmpty, "\(words) \(ending)")
                #expect(ending.err == texts[words].map { $0 + "\n" }, "\(words) \(ending)")
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

        @Test("A value that is not of its form is answered with the form, or with what is probably meant")
        func forms() async throws {
            for (words, answer) in [
                (["status", "--timeout", "5min"], "for '--timeout <duration>'. Did you mean '5m'?"),
                (["status", "--timeout", "5 s"], "Did you mean '5s'?"),
                (["status", "--timeout", "-1"], "The value '-1' is invalid for '--timeout <duration>': it is below 0."),
                (["status", "--retries", "many"], "want a whole number"),
                (["device", "list", "--app", "camera", "--limit", "ten"], "want a whole number"),
                (["device", "list", "--app", "Camera"], "[a-z0-9._-]{1,64}. Did you mean 'camera'?"),
                (["device", "get", "xyz", "--app", "camera"], "a device's id is \"dev_\" and 32 hexadecimal digits"),
                (["key", "create", "a", "--role", "verify", "--lifetime", "30"], "the unit is missing"),
                (["key", "create", "a", "--role", "verify", "--lifetime", "1y"], "Did you mean '365d'?"),
                (["verdicts", "list", "--since", "7"], "the unit is missing"),
                (["verify", "--app", "camera", "--key-id", "xx"], "want hexadecimal (with or without colons), Base64"),
            ] {
                let ending = try await Child.run("assay", words)
                #expect(ending.status == 64 && ending.err.contains(answer), "\(words) \(ending)")
                #expect(
                    ending.err.contains("Usage: assay \(words.prefix { !$0.hasPrefix("-") }.first ?? "") "),
                    "\(words) \(ending)")
            }
        }

        @Test("An option of another command is answered with that command, and one that is near none with no other")
        func otherOptions() async throws {
            let foreign = try await Child.run("assay", ["status", "--candidate", "x.yaml"])
            #expect(foreign.status == 64, "\(foreign)")
            #expect(
                foreign.err.hasPrefix("Error: Unknown option '--candidate'. It is an option of 'assay policy "), "\(foreign)")
            let far = try await Child.run("assay", ["verdicts", "list", "--decision", "x"])
            #expect(far.err.hasPrefix("Error: Unknown option '--decision'") && !far.err.contains("Did you mean"), "\(far)")
            let part = try await Child.run("assay", ["verify", "--app", "camera", "--payload-hash", "00"])
            #expect(part.err.hasPrefix("Error: Unknown option '--payload-hash'. Near it: --payload"), "\(part)")
        }

        @Test("A file without its option, a word of other programs, and help of no command are answered with the right words")
        func otherWords() async throws {
            for (program, words, answer) in [
                (
                    "assayd", ["nowhere.yaml"],
                    "'nowhere.yaml' is not a command of 'assayd'. Did you mean '--config nowhere.yaml'?"
                ),
                ("assayd", ["start"], "'start' is not a command of 'assayd'. Did you mean 'run'?"),
                ("assayd", ["frobnicate"], "'frobnicate' is not a command of 'assayd'. Its commands are: run, "),
                ("assay", ["help", "statsu"], "'statsu' is not a command of 'assay'. Did you mean 'status'?"),
                (
                    "assay", ["help", "device", "frobnicate"],
                    "'frobnicate' is not a command of 'assay device'. Its commands are: "
                ),
            ] {
                let ending = try await Child.run(program, words)
                #expect(ending.status == 64 && ending.out.isEmpty && ending.err.contains(answer), "\(words) \(ending)")
            }
        }

        @Test("Credentials for TLS with an address that has none are an error, and never a call in the clear")
        func credentialsWithoutTLS() async throws {
            for option in ["--tls-ca", "--tls-cert", "--tls-key", "--server-name"] {
                for address in ["127.0.0.1:1", "tcp:127.0.0.1:1", "http://127.0.0.1:1", Self.nowhere] {
                    let ending = try await Child.run("assay", ["status", "--server", address, option, "x"])
                    #expect(ending.status == 65, "\(ending)")
                    #expect(
                        ending.err.contains("\(option) says nothing for \(address), which is called without TLS"), "\(ending)")
                }
            }
            // The environment is for every address.
            let named = try await Child.run(
                "assay", ["status", "--server", Self.nowhere], environment: ["ASSAY_TLS_CA": "x"])
            #expect(named.status == 69, "\(named)")
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
        func pages() throws {
            let known = ["assay": Set(try commands(of: .assay)), "assayd": Set(try commands(of: .assayd))]
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
