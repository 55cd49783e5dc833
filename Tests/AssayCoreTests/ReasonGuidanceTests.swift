import AssayCore
import Foundation
import Testing

@Suite("Guidance of reason codes")
struct ReasonGuidanceTests {
    @Test("Cause and remedy of each code are whole sentences of at most 300 characters", arguments: ReasonCode.allCases)
    func form(_ code: ReasonCode) {
        for text in [code.guidance.cause, code.guidance.remedy] {
            #expect(text.hasSuffix("."))
            #expect((10...300).contains(text.count), "\(text.count) characters: \(text)")
            #expect(text.first.map { $0.isUppercase || $0 == "`" } == true, "\(text)")
            // A cell of a table in Markdown, and one paragraph on a terminal.
            #expect(!text.contains("|") && !text.contains("\n") && !text.contains("  "), "\(text)")
        }
        #expect(code.guidance.cause != code.guidance.remedy)
    }

    @Test("Codes that share their guidance have the same retry class")
    func shared() {
        for (guidance, codes) in Dictionary(grouping: ReasonCode.allCases, by: \.guidance) {
            let classes = Set(codes.map(\.retry))
            #expect(classes.count == 1, "\(codes): \(guidance.cause)")
        }
    }

    @Test("Codes with the same cause have the same remedy")
    func causes() {
        let guidance = Set(ReasonCode.allCases.map(\.guidance))
        #expect(Set(guidance.map(\.cause)).count == guidance.count)
    }

    @Test("Guidance names only keys that the pages of the configuration have, commands that exist, and names of interfaces")
    func names() throws {
        let keys = try DocumentedKeys(pages: docs.appending(path: "reference/configuration"))
        let sources = docs.deletingLastPathComponent().appending(path: "Sources")
        let commands = try DeclaredCommands(in: sources.appending(path: "assay"), root: "Assay").paths
            .union(DeclaredCommands(in: sources.appending(path: "assayd"), root: "Assayd").paths)
        try #require(commands.isSuperset(of: ["assay device block", "assayd check-config"]))
        try #require(
            keys.paths.isSuperset(of: ["max_devices_per_subject", "android.key.kinds", "provisioning.fleet.fleet_arc"]))

        for code in ReasonCode.allCases {
            for text in [code.guidance.cause, code.guidance.remedy] {
                let parts = text.split(separator: "`", omittingEmptySubsequences: false)
                #expect(parts.count % 2 == 1, "\(code): a back quote has no partner: \(text)")
                for (index, part) in parts.enumerated() {
                    if index % 2 == 0 {
                        // Outside of back quotes nothing would be looked up.
                        #expect(part.firstMatch(of: /assayd? |[a-z]\.[a-z]/) == nil, "\(code): \(part)")
                    } else if part.hasPrefix("assay") {
                        #expect(commands.contains(String(part)), "\(code): there is no command '\(part)'")
                    } else if let match = part.wholeMatch(of: /([a-z0-9_]+(?:\.[a-z0-9_]+)*)(?:: .+)?/) {
                        #expect(keys.paths.contains(String(match.1)), "\(code): the configuration has no key '\(match.1)'")
                    } else {
                        #expect(
                            part.hasPrefix("openssl ") || part.wholeMatch(of: /[A-Za-z0-9_.]+(\(.*\))?/) != nil,
                            "\(code): '\(part)' is no name")
                    }
                }
            }
        }
    }
}

/// The keys of the configuration, by the tables of its pages: paths from the app's section, or from the top, on.
private struct DocumentedKeys {
    private(set) var paths: Set<String> = []

    init(pages folder: URL) throws {
        let pages = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        try #require(!pages.isEmpty)
        for page in pages { try read(String(contentsOf: page, encoding: .utf8)) }
    }

    /// A page's title is the path of its section. A heading, or the paragraph before a table, begins with the path of the section whose keys the
    /// tables behind it have, from the top or from the page's section on; before the first they are those of the page's section.
    private mutating func read(_ page: String) throws {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let title = try #require(lines.first?.firstMatch(of: /`(?:apps\.<app>\.)?([a-z_]+)`/)?.1, "a page has no title")
        let root = title == "apps" ? "" : "\(title)."
        if !root.isEmpty { paths.insert(String(title)) }
        var section = root
        var isOfKeys = false
        for (before, line) in zip([""] + lines, lines) {
            if before.isEmpty, let name = line.prefixMatch(of: /(?:##+ )?`([a-z0-9_]+(?:\.[a-z0-9_]+)*)`/)?.1 {
                section = name.hasPrefix(root) ? "\(name)." : "\(root)\(name)."
            }
            if line.hasPrefix("| key |") { isOfKeys = true }
            guard line.hasPrefix("|") else {
                isOfKeys = false
                continue
            }
            if isOfKeys, let key = line.prefixMatch(of: /\| `([a-z0-9_]+)` \|/)?.1 { paths.insert("\(section)\(key)") }
        }
    }
}

/// The commands of an executable, by its declarations: "assay", "assay device", "assay device block".
private struct DeclaredCommands {
    private struct Command {
        let name: String
        let subcommands: [String]
    }

    private(set) var paths: Set<String> = []

    init(in folder: URL, root: String) throws {
        var commands: [String: Command] = [:]
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for declaration in text.split(separator: /\bstruct (?=\w+: (Async)?ParsableCommand)/).dropFirst() {
                guard let type = declaration.prefixMatch(of: /\w+/)?.0,
                    let name = declaration.firstMatch(of: /commandName: "([a-z-]+)"/)?.1
                else { continue }
                let list = declaration.firstMatch(of: /subcommands: \[([^\]]*)\]/)?.1 ?? ""
                commands[String(type)] = Command(
                    name: String(name), subcommands: list.matches(of: /(\w+)\.self/).map { String($0.1) })
            }
        }
        try add(root, below: "", of: commands)
    }

    private mutating func add(_ type: String, below path: String, of commands: [String: Command]) throws {
        let command = try #require(commands[type], "the command \(type) is not declared with a name")
        let path = path.isEmpty ? command.name : "\(path) \(command.name)"
        try #require(paths.insert(path).inserted, "two commands are called '\(path)'")
        for subcommand in command.subcommands { try add(subcommand, below: path, of: commands) }
    }
}
