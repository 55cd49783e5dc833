import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayLedger
import AssaySQLite
import Foundation

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Move a ledger to another kind of store.", subcommands: [StoreCopyCommand.self])
}

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a ledger in a file into the database of a configuration.",
        discussion: """
            The file is copied as it is at one instant, also beside a running daemon, and then compared with the database, row by row. What \
            differs is made equal, and all of it is compared once more. So it can be killed and repeated: run it while the daemon serves, then \
            stop the daemon and run it again, which copies what has changed. Only then is the copy finished, and a daemon opens it. The file \
            is not changed, and must not be used any more. The audit log becomes the chain of a writer of its own. The key file stays the \
            same: it is to be where the configuration says.

            Exit status: 0 finished; 1 equal, but a daemon uses the file: stop it and run this again; 65 the configuration cannot be used; \
            69 not done; 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The ledger's file, sqlite:PATH or PATH.", valueName: "file"))
    var from: String

    @Option(name: .shortAndLong, help: "The configuration with store.postgresql, YAML.")
    var config: String = usualConfiguration

    @Option(help: ArgumentHelp("The name that the audit chain of the file gets as a writer.", valueName: "name"))
    var writer = "sqlite"

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard AuditWriter(named: writer) != nil else {
            throw ValidationError("\"\(writer)\" is no name of a writer: want 1 to 64 of a-z, 0-9, \".\", \"_\" and \"-\".")
        }
    }

    func run() async throws {
        let store = try Configuration.orExplain(config).fixed.store
        let file = from.hasPrefix("sqlite:") ? String(from.dropFirst("sqlite:".count)) : from
        var progress = ProgressLine("copied")
        let copy: StoreCopy
        do {
            copy = try StoreCopy.run(from: file, into: store, writer: writer) { step in
                switch step {
                case .copying(let pages, let total): progress.show(pages, of: total)
                case .comparing(let part): progress.show("\(part.table): \(part.rows) rows")
                case .verifying(let part): progress.show("\(part.table): \(part.rows) rows compared again")
                }
            }
            progress.end()
        } catch {
            progress.end()
            throw error.told
        }
        show(copy, file, store)
        if !copy.isFinished { throw ExitCode(1) }
    }

    private func show(_ copy: StoreCopy, _ file: String, _ store: FixedConfiguration.Store) {
        let rows = copy.rows.reduce(0) { $0 + $1.rows }
        if json {
            let object: [String: Any] = [
                "from": file, "to": store.name, "writer": writer, "finished": copy.isFinished, "rows": rows,
                "added": copy.changes.added, "removed": copy.changes.removed, "devices": copy.content.devices,
                "audit_head": "\(ExpectedAuditHead(copy.content.auditEnd))", "key_opens": copy.key.json,
                "tables": Dictionary(uniqueKeysWithValues: copy.rows.map { ($0.table, $0.rows) }),
            ]
            let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
            print(String(decoding: data ?? Data("{}".utf8), as: UTF8.self))
            return
        }
        print(
            "\(store.name): equal to \(file), \(rows) rows (\(copy.changes.added) added, \(copy.changes.removed) removed now)")
        print("  devices    \(copy.content.devices)")
        print("  audit      \(ExpectedAuditHead(copy.content.auditEnd)), the chain of the writer \"\(writer)\"")
        print("  key        \(copy.key.text(of: store.keyFile))")
        if copy.isFinished {
            print("  finished   daemons open it now; \(file) must not be used any more")
        } else {
            print("  unfinished a daemon uses \(file): stop it and run this again; until then no daemon opens the copy")
        }
    }
}
