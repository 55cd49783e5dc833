import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayPlugins
import AssaySchemes
import Foundation

struct PluginPinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Write the SHA-256 of all files that a plugin runs into its entry of the catalog.",
        discussion: """
            Hashes the command, all files of the entry's folder, the files among its arguments, and those that the manifest names \
            besides. The section "manifest" is replaced; the rest of the file stays as it is, comments too. Each file whose digest \
            differs is shown. Needs no daemon; a running one uses the new manifest after a reload.

            Exit status: 0 done; 1 with --check: something differs; 65 the entry or a file cannot be used; 64 wrong usage.
            """)

    @Argument(help: "The entry's file in the catalog.")
    var file: String

    @Flag(help: "Compare only, and change nothing.")
    var check = false

    func run() throws {
        let pin: PluginPin
        do {
            pin = try PluginPin(file)
            if !check { try pin.write() }
        } catch {
            let text = error is PluginFileError ? "\(file): \(error)" : "\(error)"
            throw CommandFailure("unreadable_input", text, exitStatus: 65).shown(as: text)
        }
        for change in pin.changes {
            switch (change.old, change.new) {
            case (nil, let new?): print("new      \(change.path)\n         \(Hex.encode(new))")
            case (let old?, nil): print("gone     \(change.path)\n         \(Hex.encode(old))")
            case (let old, let new):
                print("changed  \(change.path)\n         \(Hex.encode(old ?? [])) ->\n         \(Hex.encode(new ?? []))")
            }
        }
        let files = "\(pin.count) file\(pin.count == 1 ? "" : "s")"
        guard !pin.changes.isEmpty else { return print("\(file): \(files), nothing differs") }
        print("\(file): \(files), \(pin.changes.count) differ\(pin.changes.count == 1 ? "s" : "")" + (check ? "" : "; pinned"))
        if check { throw ExitCode(1) }
    }
}
