import ArgumentParser
import AssayClient
import AssayConfiguration
import AssayCore

struct FeedsDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare a list in a file with the one in force, or with another file.",
        discussion: """
            Lines that begin with + are only in the file, or in the second of two; with -, only in the other.

            Exit status 1 if the lists differ.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The list's name, or the older of two files.", valueName: "feed|old"))
    var old: String

    @Argument(help: ArgumentHelp("A list as the service answers it.", valueName: "new"))
    var new: FileArgument

    @Flag(help: "The first argument is a file too; no daemon is asked.")
    var offline = false

    func run() async throws {
        let after = Set(try entries(of: new))
        let before = offline ? Set(try entries(of: FileArgument(argument: old))) : Set(try await inForce())
        let lines =
            before.subtracting(after).map { (serial: $0.serial, text: "- \($0.line)") }
            + after.subtracting(before).map { (serial: $0.serial, text: "+ \($0.line)") }
        for line in lines.sorted(by: {
            ($0.serial.count, Hex.encode($0.serial), $0.text) < ($1.serial.count, Hex.encode($1.serial), $1.text)
        }) {
            Console.print(line.text)
        }
        if !lines.isEmpty { throw ExitCode(1) }
    }

    private func inForce() async throws -> [FeedReading.Entry] {
        let reading = try await server.with { client throws(AssayError) in
            try await client.feed(old, timeout: server.limit)
        }
        return reading?.entries ?? []
    }

    private func entries(of file: FileArgument?) throws -> [FeedReading.Entry] {
        guard let file else { return [] }
        let text = try file.read()
        do throws(RevocationListProblem) {
            return try RevocationList.entries(of: text).map { serial, entry in
                FeedReading.Entry(serial: serial, status: entry.status.text, reason: entry.reason)
            }
        } catch {
            throw Console.unreadable("\(file.path): \(error.description)")
        }
    }
}
