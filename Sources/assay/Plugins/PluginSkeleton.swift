import AssayCore
import Foundation

/// The folder of a new plugin: a template under another name, with what it needs from Assay's sources in the folder `assay`.
struct PluginSkeleton {
    typealias Language = PluginNewCommand.Language

    /// Why it was not made: a sentence.
    struct Failure: Error, CustomStringConvertible { let description: String }

    let name: String
    let language: Language
    /// The folder `plugins` of Assay's sources or of a package; beside it are `proto` and the pages.
    let source: String
    let folder: String

    private var files: FileManager { .default }

    /// The tests of the libraries read the lists of codes in these.
    private static let pages = ["docs/reference/reason-codes.md", "docs/reference/plugin-protocol.md"]

    /// Whether a folder has what a plugin in this language is made of.
    static func isComplete(_ source: String, _ language: String) -> Bool {
        ([
            "template-\(language)/Makefile", "sdk/\(language)/README.md", "sdk/tests/suite.py",
            "../proto/assay/plugin/v1/plugin.proto",
        ] + pages.map { "../" + $0 })
        .allSatisfy { FileManager.default.fileExists(atPath: source + "/" + $0) }
    }

    func write() throws {
        if let found = try? files.contentsOfDirectory(atPath: folder) {
            guard found.isEmpty else { throw Failure(description: "\(folder) is not empty: name another folder (--output)") }
        } else if files.fileExists(atPath: folder) {
            throw Failure(description: "\(folder) is no folder")
        }
        try copy(source + "/template-\(language.rawValue)", to: folder, changed: true)
        try copy(source + "/sdk/\(language.rawValue)", to: folder + "/assay/plugins/sdk/\(language.rawValue)")
        try copy(source + "/sdk/tests", to: folder + "/assay/plugins/sdk/tests")
        for page in Self.pages {
            try files.createDirectory(
                atPath: URL(fileURLWithPath: folder + "/assay/" + page).deletingLastPathComponent().path,
                withIntermediateDirectories: true)
            try files.copyItem(atPath: source + "/../" + page, toPath: folder + "/assay/" + page)
        }
        for package in ["plugin", "rpc"] {
            try copy(source + "/../proto/assay/\(package)", to: folder + "/assay/proto/assay/\(package)")
        }
        try write(entry, to: "\(name).yaml")
        try write(Hex.encode(SecureRandom.bytes(32)) + "\n", to: "\(name).key", mode: 0o600)
        try write(".build/\nvendor/\n*.key\n", to: ".gitignore")
    }

    private func write(_ text: String, to file: String, mode: mode_t = 0o644) throws {
        try OutputFile.write(text, to: folder + "/" + file, mode: mode, existing: .keep)
    }

    // MARK: Copying

    /// What builds leave behind.
    private static let left: Set<String> = [".build", "vendor", "__pycache__", ".swiftpm", "Package.resolved"]

    private func copy(_ from: String, to: String, changed: Bool = false) throws {
        try files.createDirectory(atPath: to, withIntermediateDirectories: true)
        for found in try files.contentsOfDirectory(atPath: from).sorted() where !Self.left.contains(found) {
            let (source, target) = (
                from + "/" + found, to + "/" + (changed ? renamed(found == "hmac.c" ? "\(name).c" : found) : found)
            )
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: source, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                try copy(source, to: target, changed: changed)
            } else if changed, let text = try? String(contentsOfFile: source, encoding: .utf8) {
                let attributes = try files.attributesOfItem(atPath: source)
                try Data(self.changed(text, found).utf8).write(to: URL(fileURLWithPath: target))
                try files.setAttributes([.posixPermissions: attributes[.posixPermissions] ?? 0o644], ofItemAtPath: target)
            } else {
                try files.copyItem(atPath: source, toPath: target)
            }
        }
    }

    /// The name of a type: `card-reader` becomes `CardReaderPlugin`.
    private var typeName: String {
        let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return (words.first?.isNumber == true ? "P" : "") + words + "Plugin"
    }

    private func renamed(_ text: String) -> String {
        text.replacing("example-hmac", with: name).replacing("example.hmac", with: name)
            .replacing("ExampleHMAC", with: typeName).replacing("`hmac.c`", with: "`\(name).c`")
            .replacing("(hmac.c)", with: "(\(name).c)")
    }

    private func changed(_ text: String, _ file: String) -> String {
        var text = renamed(text).replacing("../../../shared/vectors", with: "vectors")
            .replacing("../sdk/", with: "assay/plugins/sdk/")
        if file == "README.md" { text = readme(text) }
        if file == "Makefile", language == .c {
            text = text.replacing("CC ?= cc\n", with: "CC ?= cc\n\(Self.needsOfC)", maxReplacements: 1)
        }
        return text
    }

    /// Says what is missing before the compiler does.
    private static let needsOfC = """
        ifneq ($(MAKECMDGOALS),clean)
        ifeq ($(shell command -v $(CC) >/dev/null && pkg-config --exists libprotobuf-c libcrypto && echo yes),)
        $(error a C compiler, pkg-config, libprotobuf-c and libcrypto are needed: apt-get install gcc pkg-config libprotobuf-c-dev libssl-dev)
        endif
        endif

        """

    /// Its own title, and without the step that is done.
    private func readme(_ text: String) -> String {
        var lines: [String] = []
        var isDone = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("# ") {
                lines.append("# \(name)")
                continue
            }
            if line.hasPrefix("1. Copy the folder") {
                isDone = true
                continue
            }
            if isDone, line.hasPrefix("   ") { continue }
            if line.hasPrefix("2. ") { isDone = false }
            let isStep = line.hasPrefix("2. ") || line.hasPrefix("3. ")
            lines.append(isStep ? (line.hasPrefix("2") ? "1" : "2") + line.dropFirst() : line)
        }
        return lines.joined(separator: "\n")
    }

    // MARK: The entry

    #if arch(arm64)
        private static let interpreter = "/lib/ld-linux-aarch64.so.1"
        private static let triple = "aarch64-unknown-linux-gnu"
    #else
        private static let interpreter = "/lib64/ld-linux-x86-64.so.2"
        private static let triple = "x86_64-unknown-linux-gnu"
    #endif

    private var entry: String {
        let powers = "powers:\n  execute: [\(Self.interpreter)]\n  read: [/usr/lib, /etc/ld.so.cache]\n"
        let (runs, powersOfIt) =
            switch language {
            case .c: ("command: \(quoted(folder + "/.build/" + name))\n", powers)
            // An executable that needs no other file.
            case .swift: ("command: \(quoted("\(folder)/.build/\(Self.triple)/release/\(name)"))\n", "")
            case .python:
                (
                    "command: \(Self.python)\narguments: [-I, -B, \"{folder}/main.py\"]\nfolder: \(quoted(folder + "/.build/installed"))\n",
                    powers
                )
            }
        return """
            # An entry of the catalog. `assay plugin pin \(name).yaml` writes the manifest; then it goes, with the key, into the folder
            # that `plugins.catalog` names.
            name: \(name)
            \(runs)formats: [\(name)]
            # The apps that it serves.
            apps: [app]
            configuration:
              key: \(name).key
            \(powersOfIt)
            """
    }

    /// A path as YAML.
    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The interpreter's file: a link cannot be pinned.
    private static var python: String {
        guard let resolved = realpath("/usr/bin/python3", nil) else { return "/usr/bin/python3" }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    // MARK: Next

    static func nextSteps(name: String, language: Language, folder: String) -> String {
        let path = folder.contains(" ") ? "'\(folder)'" : folder
        let built =
            switch language {
            case .c: ".build/\(name)"
            case .swift: ".build/release/\(name)"
            case .python: ".build/installed"
            }
        let install = language == .python ? "make install FOLDER=$PWD/.build/installed\n" : ""
        let code =
            switch language {
            case .c: "\(name).c"
            case .python: "main.py"
            case .swift: "Sources/\(name)"
            }
        return """
            A plugin that appraises an HMAC is in \(folder): it works as it is. The checks are in \(code), its cases in tests/vectors.py.

            cd \(path)
            make && make test
            \(install)assay plugin check \(built) --vectors .build/cases.json

            Then give it to a daemon: name its apps in \(name).yaml, pin the files, and put the entry into the catalog.

            assay plugin pin \(name).yaml
            """
    }
}
