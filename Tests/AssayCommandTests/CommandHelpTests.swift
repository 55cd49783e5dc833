import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("Help of the commands")
    struct CommandHelpTests {
        /// The text of each command's help, by the path of the command.
        private func helps(of program: Program, columns: Int) async throws -> [[String]: String] {
            var helps: [[String]: String] = [:]
            var waiting: [[String]] = [[]]
            while let words = waiting.popLast() {
                let help = try await program.help(of: words, columns: columns)
                helps[words] = help
                let lines = Self.lines(help)
                guard let subcommands = lines.firstIndex(of: "SUBCOMMANDS:") else { continue }
                for line in lines[(subcommands + 1)...].prefix(while: { $0.hasPrefix("  ") }) where !line.hasPrefix("   ") {
                    guard let name = line.split(separator: " ").first, name != "help" else { continue }
                    waiting.append(words + [String(name)])
                }
            }
            return helps
        }

        private static func lines(_ help: String) -> [String] {
            help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }

        @Test(
            "Help breaks lines only at the width of the window or the end of a paragraph, and usage at 100, for every command",
            arguments: Program.allCases,
            [80, 120])
        func wrapping(_ program: Program, _ columns: Int) async throws {
            let helps = try await helps(of: program, columns: columns)
            #expect(helps.keys.contains(["audit", "verify"]), "\(helps.keys)")
            for words in [[], ["audit", "verify"]] as [[String]] {
                let ending = try await program.run(words + ["--help"], columns: columns)
                #expect(ending.status == 0 && ending.err.isEmpty, "\(words) \(ending)")
                #expect(ending.out == helps[words].map { $0 + "\n" }, "\(words) \(ending)")
            }
            for (words, text) in helps {
                let help = Self.lines(text + "\n")
                let lines = help.prefix { !$0.hasPrefix("USAGE") }
                let usage = help.dropFirst(lines.count).prefix { !$0.isEmpty }
                #expect(!usage.isEmpty && usage.allSatisfy { $0.count <= 100 }, "\(words): \(usage)")
                // A case with a number is shown by its name.
                let numbers = help.joined(separator: "\n").matches(of: /\(values: [^)]*default:\s+([0-9]+)\)/)
                #expect(numbers.isEmpty, "\(words): \(numbers.map(\.0))")
                #expect(!lines.isEmpty, "\(words)")
                for (line, next) in zip(lines, lines.dropFirst()) {
                    #expect(line.count <= columns, "\(words): \(line)")
                    // Examples and lists are formatted by hand: each of their lines contains two spaces.
                    let isSetByHand = [line, next].contains { $0.contains("  ") || $0.isEmpty }
                    let first = next.prefix { $0 != " " }
                    #expect(isSetByHand || line.count + 1 + first.count >= columns, "\(words): \(line)")
                }
            }
        }

        @Test("The daemon's help says how it is started")
        func daemon() async throws {
            let help = try await Child.run("assayd", ["--help"], environment: ["COLUMNS": "120"])
            #expect(help.out.contains("--config FILE"), "\(help.out)")
            let run = try await Child.run("assayd", ["help", "run"], environment: ["COLUMNS": "120"])
            #expect(run.out.contains("--config <config>"), "\(run.out)")
        }

        @Test("The help names the levels of a virtual Android device, and the default")
        func levels() async throws {
            let help = try await Child.run("assay", ["simulate", "android", "make", "--help"], environment: ["COLUMNS": "120"])
            #expect(help.out.contains("(values: software, tee, strongbox; default: tee)"), "\(help.out)")
        }

        @Test("The help names the signature algorithms as they are written")
        func algorithms() async throws {
            let help = try await Child.run("assay", ["verify", "--help"], environment: ["COLUMNS": "120"])
            #expect(help.out.contains("(values: ecdsa-p256-sha256,"), "\(help.out)")
        }
    }
}
