import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct PluginQuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Manage the evidence that ended processes of plugins.",
        discussion: """
            Evidence that ended a plugin's process twice, the second time alone, is refused from then on (plugin_quarantined), and kept \
            aside for the plugin's author. It is named by its digest.
            """,
        subcommands: [
            PluginQuarantineListCommand.self, PluginQuarantineShowCommand.self, PluginQuarantineReleaseCommand.self,
        ],
        defaultSubcommand: PluginQuarantineListCommand.self)
}

struct PluginQuarantineListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List quarantined evidence, the newest first.",
        discussion: "At most 1000 pieces. Exit status 1 if the catalog has no plugin with this id.")

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("Of this plugin alone.", valueName: "id"))
    var id: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let evidence = try await server.with { client throws(AssayError) in
            try await client.quarantine(of: id, timeout: server.limit)
        }
        for piece in evidence {
            if json { Console.print(json: piece.json, pretty: false) } else { Console.print(piece.row) }
        }
        if evidence.isEmpty { Console.sayEmpty("no evidence\(id.map { " of the plugin \($0)" } ?? "") is quarantined") }
    }
}

struct PluginQuarantineShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show quarantined evidence, and write its body to a file.",
        discussion: """
            The body is what a device sent: it may have personal data. The file is readable to its owner alone. To see where the plugin \
            fails, run it with the body as a case of `assay plugin check`.

            Exit status 1 if there is no such evidence; 65 if its body was too large to be kept, or the file cannot be written.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The digest, as `assay plugin quarantine list` prints it.", valueName: "digest"))
    var digest: BytesArgument

    @Option(help: ArgumentHelp("Write the body here, with mode 0600.", valueName: "file"))
    var output: String?

    @Flag(help: "Print a JSON object, with the body.")
    var json = false

    func run() async throws {
        let piece = try await server.with { client throws(AssayError) in
            try await client.quarantined(digest.bytes(wanting: 32), timeout: server.limit)
        }
        if let output {
            guard !piece.body.isEmpty || piece.size == 0 else {
                throw Console.unreadable("the body of \(piece.size) bytes was too large to be kept")
            }
            try OutputFile.write(Array(piece.body), to: output, mode: 0o600)
        }
        if json {
            Console.print(json: piece.json)
        } else {
            piece.lines.forEach(Console.print)
            if let output { Console.print("  body       written to \(output)") }
        }
    }
}

struct PluginQuarantineReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Take evidence out of the quarantine, so that the plugin judges it again.",
        discussion: "For evidence whose plugin was corrected. Exit status 1 if there is no such evidence.")

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The digest, as `assay plugin quarantine list` prints it.", valueName: "digest"))
    var digest: BytesArgument

    func run() async throws {
        let digest = digest.bytes(wanting: 32)
        try await server.with { client throws(AssayError) in
            try await client.releaseQuarantined(digest, timeout: server.limit)
        }
        Console.print("released: \(Hex.encode(digest))")
    }
}
