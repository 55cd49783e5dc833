import ArgumentParser
import AssayConfiguration
import AssayDaemon
import Foundation

struct NewLedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-ledger", abstract: "Make an empty ledger for an existing key file.",
        discussion: """
            The daemon does not start with an empty ledger if its key file exists: the ledger may be lost. This declares a new \
            one, for example if the key file was made first. The key file is not needed here.

            Exit status: 0 done; 65 the configuration cannot be used; 69 the ledger is not empty, or cannot be made.
            """)

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String

    func run() async throws {
        let configuration = try Configuration.orExplain(config)
        do {
            try await OpenStore.makeNew(configuration.fixed.store)
            print("\(configuration.fixed.store.path): an empty ledger")
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            throw ExitCode(StartupError.unavailable)
        }
    }
}
