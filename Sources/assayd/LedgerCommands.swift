import ArgumentParser
import AssayConfiguration
import AssayCore
import AssayDaemon

struct NewLedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-ledger", abstract: "Make an empty ledger for an existing key file.",
        discussion: """
            The daemon does not start with an empty ledger if its key file exists: the ledger may be lost. This declares a new \
            one, for example if the key file was made first. The key file is not needed here. The configuration can say the same for a first \
            start (store.new_ledger). A ledger in a file that is to move into a database is copied instead: assayd store copy.

            Exit status: 0 done; 65 the configuration cannot be used; 69 the ledger is not empty, or cannot be made.
            """)

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String = usualConfiguration

    func run() async throws {
        let configuration = try Configuration.orExplain(config)
        do {
            try await OpenStore.makeNew(configuration.fixed.store)
            print("\(configuration.fixed.store.name): an empty ledger")
        } catch {
            throw error.told
        }
    }
}

struct ForgetChallengesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-challenges", abstract: "Invalidate every challenge that was issued so far.",
        discussion: """
            For a ledger that was restored from a backup, before the daemon is started on it: the ledger does not know which \
            challenges were spent since the backup. A daemon that acknowledged more commits than a database has does not start before \
            this was run, once for all daemons of the ledger. No daemon of the ledger may run, on other machines either. The first one that \
            starts makes a new key; devices stay registered.

            Exit status: 0 done; 65 the configuration cannot be used; 69 the ledger is missing, or in use, and by which process.
            """)

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String = usualConfiguration

    func run() async throws {
        let configuration = try Configuration.orExplain(config)
        do {
            let count = try await OpenStore.forgetChallenges(configuration.fixed.store)
            print("\(count) challenge key\(count == 1 ? " is" : "s are") removed; no challenge from before is good any more")
        } catch {
            throw error.told
        }
    }
}

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Make the ledger if there is none, and bring it to this version's schema.",
        discussion: """
            The daemon does the same when it starts. On PostgreSQL, daemons of the version before may run meanwhile: migrate first, then \
            exchange them one after the other. On SQLite the daemon must not run. The key file is not needed.

            Exit status: 0 done, or nothing was to do; 65 the configuration cannot be used; 69 the ledger cannot be used.
            """)

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String = usualConfiguration

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let store = try Configuration.orExplain(config).fixed.store
        do {
            let migration = try await store.backend.migrate()
            if json {
                print("{\"schema\":\(migration.after),\"schema_before\":\(migration.before)}")
            } else {
                let words =
                    switch migration.before {
                    case migration.after: "has schema version \(migration.after) already"
                    case 0: "made, with schema version \(migration.after)"
                    default: "migrated from schema version \(migration.before) to \(migration.after)"
                    }
                print("\(store.name): \(words)")
            }
        } catch {
            throw error.told
        }
    }
}
