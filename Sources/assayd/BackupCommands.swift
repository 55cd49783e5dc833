import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayFiles
import AssaySQLite
import Foundation

/// Where the package puts the configuration.
let usualConfiguration = "/etc/assay/assayd.yaml"

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a verified copy of the ledger, while the daemon runs or not.",
        discussion: """
            The copy is the ledger of one instant, mode 0600. It is read back completely (SQLite's structure, references, the chain of the \
            audit log) before it gets its name. An existing file is never replaced. A process that is killed leaves FILE.part, which the \
            next one uses again. The key file is not part of it: keep a copy of that elsewhere.

            Exit status: 0 done; 1 done, but the key file does not open the copy; 65 the configuration cannot be used; 69 not done; \
            64 wrong usage.
            """)

    @Argument(help: "The new file.")
    var file: String

    @OptionGroup var options: BackupOptions

    func run() async throws {
        let store = try Configuration.orExplain(options.config).fixed.store
        var progress = ProgressLine("copied")
        do {
            let backup = try StoreBackup.make(of: store, at: file, keyFile: options.keyFile) { progress.show($0, of: $1) }
            progress.end()
            let keyFile = options.keyFile ?? store.keyFile
            if options.json {
                print(
                    backup.content.json(["file": file, "ledger": store.name, "key_file": keyFile, "key_opens": backup.key.json])
                )
            } else {
                print("\(file): written and verified, \(backup.content.size)")
                print("  ledger     \(store.name)")
                backup.content.lines.forEach { print($0) }
                print("  key        \(backup.key.text(of: keyFile))")
            }
            if backup.key == .wrong { throw ExitCode(1) }
        } catch {
            progress.end()
            throw error.told
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a backup the ledger of an empty store.",
        discussion: """
            The daemon must not run, and the store must be empty: move the files of the old ledger to another folder first. The backup is \
            verified, every challenge that was issued so far is invalidated (as by 'assayd forget-challenges'), and only then does it become \
            the ledger. If that fails or is killed, the store is still empty. The backup's file is not changed.

            Exit status: 0 done; 65 the configuration cannot be used; 69 not done; 64 wrong usage.
            """)

    @Argument(help: "The backup.")
    var file: String

    @OptionGroup var options: BackupOptions

    func run() async throws {
        let store = try Configuration.orExplain(options.config).fixed.store
        // Not the ledger, of which the errors of opening a database speak.
        if let problem = BoundedFile.problem(at: file) {
            let text = "the backup \(file) \(problem)"
            throw CommandFailure("unreadable_input", text, exitStatus: 69).shown(as: text)
        }
        var progress = ProgressLine("restored")
        do {
            let restored = try await StoreRestore.run(file, into: store, keyFile: options.keyFile) { progress.show($0, of: $1) }
            progress.end()
            let keyFile = options.keyFile ?? store.keyFile
            if options.json {
                print(
                    restored.content.json([
                        "file": file, "ledger": store.name, "key_file": keyFile, "key_opens": restored.key.json,
                        "challenge_keys_removed": restored.challengeKeys, "api_keys_good": restored.callerKeys,
                    ]))
                return
            }
            let count = restored.challengeKeys
            print("\(store.name): restored from \(file), \(restored.content.size)")
            restored.content.lines.forEach { print($0) }
            print("  key        \(restored.key.text(of: keyFile))")
            print("  challenges \(count) key\(count == 1 ? " is" : "s are") removed; no challenge from before is good any more")
            if !restored.callerKeys.isEmpty {
                let names = restored.callerKeys.prefix(5).joined(separator: ", ") + (restored.callerKeys.count > 5 ? ", …" : "")
                print(
                    "  API keys   \(restored.callerKeys.count) good as of the backup (\(names)): revoke again what was revoked since"
                )
            }
            let last = restored.content.lastRecordAt.map { "\($0)" } ?? "the backup"
            print("  lost       everything after \(last): a later head of the audit log is missing in it")
        } catch {
            progress.end()
            throw error.told
        }
    }
}

/// What both commands take.
struct BackupOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String = usualConfiguration

    @Option(
        help: ArgumentHelp(
            "The key file to compare with, if the one of the configuration is handed over by systemd.", valueName: "file"))
    var keyFile: String?

    @Flag(help: "Print a JSON object.")
    var json = false
}

extension LedgerContentSummary {
    fileprivate var size: String { String(format: "%.1f MB", Double(bytes) / 1_000_000) }

    fileprivate var lines: [String] {
        [
            "  schema     version \(schema), \(devices) device\(devices == 1 ? "" : "s")",
            "  last entry \(lastRecordAt.map { "\($0)" } ?? "none")",
            "  audit head \(ExpectedAuditHead(auditEnd))",
        ]
    }

    /// A JSON object with these members and others.
    fileprivate func json(_ others: [String: Any]) -> String {
        var object: [String: Any] = [
            "bytes": bytes, "schema": schema, "devices": devices, "audit_head": "\(ExpectedAuditHead(auditEnd))",
            "audit_records": auditEnd.number - auditStart.number,
        ]
        if let lastRecordAt { object["last_entry_unix_ms"] = lastRecordAt.unixMilliseconds }
        object.merge(others) { old, _ in old }
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self)
    }
}
