import ArgumentParser
import AssayHost
import Foundation

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Read a configuration and say everything that is wrong with it.")

    @Argument(help: "The file.")
    var file: String

    func run() throws {
        let configuration = try Configuration.orExplain(file)
        print("\(file): good")
        for line in configuration.summary { print("  " + line) }
        for warning in configuration.warnings { print("  warning: " + warning) }
    }
}

extension Configuration {
    /// Reads the file, or prints every problem and ends with 65.
    static func orExplain(_ file: String) throws -> Configuration {
        do throws(ConfigurationError) {
            return try load(file)
        } catch {
            FileHandle.standardError.write(Data((error.description + "\n").utf8))
            throw ExitCode(65)
        }
    }
}
