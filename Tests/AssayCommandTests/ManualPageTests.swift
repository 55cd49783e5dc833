import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// The pages and completions that the packages contain, made from the programs' own help.
    @Suite("Manual pages and completions")
    struct ManualPageTests {
        private let folder: TemporaryFolder
        init() throws { folder = try TemporaryFolder() }

        /// The pages of a program, by the names of their files.
        private func pages(of program: String, section: String) async throws -> [String: String] {
            let script = Package.path("dev/package/man-pages.py")
            let python = try Child(
                "/usr/bin/env",
                ["python3", "-B", script, Child.built(program), section, folder.path, "1776124800", "/usr/share/doc/assay"])
            let ending = await python.ending()
            #expect(ending.status == 0 && ending.err.isEmpty, "\(ending)")
            return try Dictionary(
                uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder.path)
                    .filter { $0.hasSuffix("." + section) }.map { ($0, folder.text($0)) })
        }

        @Test(
            "Every command has a page with its options, and the program's page names it",
            arguments: [(Program.assay, "1"), (.assayd, "8")])
        func complete(_ program: Program, _ section: String) async throws {
            let pages = try await pages(of: program.rawValue, section: section)
            let help = try await program.help(of: [], columns: 200)
            let rest = help.components(separatedBy: "\n").drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix {
                $0.hasPrefix("  ")
            }
            let commands = rest.filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(commands.count > 5 && pages.count == commands.count + 1, "\(pages.keys)")
            let name = program.rawValue
            let main = try #require(pages["\(name).\(section)"])
            for command in commands {
                let page = try #require(pages["\(name)-\(command).\(section)"])
                #expect(main.contains(".BR \(name)\\-\(command.replacing("-", with: "\\-")) (\(section))"), "\(command)")
                let shown = try await program.help(of: [command], columns: 200)
                for option in shown.matches(of: /(?m)^ +(?:-[a-z], )?(--[a-z-]+)/).map({ String($0.1) })
                where !["--help", "--version"].contains(option) {
                    #expect(page.contains(option.replacing("-", with: "\\-")), "\(command): \(option)")
                }
            }
            #expect(pages.values.contains { $0.contains("/usr/share/doc/assay/") }, "\(program)")
            for (name, page) in pages {
                let title = name.split(separator: ".")[0].replacing("-", with: "\\-")
                #expect(page.hasPrefix(".TH \"\(title.uppercased())\" \"\(section)\" \"2026-04-14\" "), "\(name)")
                #expect(page.contains(".SH NAME\n\(title) \\- "), "\(name)")
                // Pages of the documentation are named where an installation has them.
                #expect(!page.contains(/[^a-z]docs\//), "\(name)")
                // No line of a help text is taken for a request of troff.
                let requests: Set = [".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR", ".nh", ".ad", ".nf", ".fi"]
                for line in page.split(separator: "\n") where line.hasPrefix(".") {
                    #expect(requests.contains(String(line.prefix { $0 != " " })), "\(name): \(line)")
                }
            }
        }

        @Test("The reference of the command line is what the programs say of themselves")
        func reference() async throws {
            let programs = URL(fileURLWithPath: try Child.built("assay")).deletingLastPathComponent().path
            let script = Package.path("dev/write-command-pages.py")
            let ending = await (try Child("/usr/bin/env", ["python3", "-B", script, "--check", programs])).ending()
            #expect(ending.status == 0, "\(ending)")
        }

        @Test("The completions are scripts of their shells", arguments: ["assay", "assayd"])
        func completions(_ program: String) async throws {
            var checked = 0
            for shell in ["bash", "zsh", "fish"] {
                let script = try await Child.run(program, ["--generate-completion-script", shell])
                #expect(script.status == 0 && script.out.contains(program), "\(shell): \(script.err)")
                guard FileManager.default.isExecutableFile(atPath: "/usr/bin/" + shell) else { continue }
                let path = try folder.write(script.out, to: "script." + shell)
                let read = await (try Child("/usr/bin/" + shell, ["-n", path])).ending()
                #expect(read.status == 0 && read.err.isEmpty, "\(shell): \(read)")
                checked += 1
            }
            #expect(checked > 0, "bash is everywhere")
        }
    }
}
