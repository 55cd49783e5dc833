import ArgumentParser
import AssayConfiguration
import AssayDaemon
import Foundation

struct ForgetChallengesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-challenges", abstract: "Invalidate every challenge that was issued so far.",
        discussion: """
            For a ledger that was restored from a backup, before the daemon is started on it: the ledger does not know which \
            challenges were spent since the backup. The daemon must not run. It makes a new key when it starts; devices stay registered.

            Exit status: 0 done; 65 the configuration cannot be used; 69 the ledger is missing, or in use, and by which process.
            """)

    @Option(name: .shortAndLong, help: "The configuration, YAML.")
    var config: String

    func run() async throws {
        let configuration = try Configuration.orExplain(config)
        do {
            let count = try await OpenStore.forgetChallenges(configuration.fixed.store)
            print("\(count) challenge key\(count == 1 ? " is" : "s are") removed; no challenge from before is good any more")
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            throw ExitCode(StartupError.unavailable)
        }
    }
}
