import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayDaemon
import AssaySchemes
import Foundation

struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Read a configuration and list all its errors, and what may fail or surprise.",
        discussion: """
            Prints a summary: addresses, callers, apps, and which outside services will be asked for which apps. Then \
            failures (the daemon would not work on this machine as it is now), warnings and notes. Nothing is created or changed. The keys of CAs are opened, and a PKCS#11 token with such a \
            key is logged into once: a wrong PIN in its file counts there as a wrong attempt. The collector of traces is connected to, and sent nothing.

            Warnings and notes of what the file asks for in so many words are marked as intended, and not counted.

            Exit status: 0 the file can be used, even with warnings; 1 with --strict, if the daemon would not work here or a warning is not \
            intended; 65 the file cannot be used; 64 wrong usage.
            """)

    @Argument(help: "The file. It may be given by --config too.")
    var file: String?

    @Option(name: [.long, .customShort("c")], help: .hidden)
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Judge folders and files as this user would see them: the one that runs the daemon.", valueName: "name"))
    var user: String?

    @Flag(help: "Exit with 1 if the daemon would not work here, or something is probably not meant so.")
    var strict = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (file == nil) != (config == nil) else { throw ValidationError("Give one file: assayd check-config FILE.") }
    }

    func run() async throws {
        guard let file = file ?? config else { return }
        var account = UnixAccount.current
        if let user {
            guard let named = UnixAccount(named: user) else { throw ValidationError("This machine has no user \"\(user)\".") }
            account = named
        }
        var check = ConfigurationCheck(file, as: account)
        await check.openAuthorities(as: account)
        await check.openResultKeys(as: account)
        check.tryDatabase(as: account)
        check.tryCollector()
        if json {
            print(check.json)
        } else {
            for line in check.lines { print(line) }
            if !check.errors.isEmpty { FileHandle.standardError.write(Data((check.errors + "\n").utf8)) }
        }
        let status = strict ? check.strictExitStatus : check.exitStatus
        if status != 0 { throw ExitCode(status) }
    }
}

extension Configuration {
    /// Reads the file, or prints every problem and exits with 65.
    static func orExplain(_ file: String) throws -> Configuration {
        do throws(ConfigurationError) {
            return try load(file)
        } catch {
            let text = error.description
            throw CommandFailure("configuration_unusable", text, exitStatus: ConfigurationCheck.unusable).shown(as: text)
        }
    }
}
